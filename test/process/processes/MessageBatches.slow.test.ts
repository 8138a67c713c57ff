import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { messages, newKey, newPhone, ok, request } from "../../contract/Client.ts"
import { simulated } from "../../contract/Operator.ts"
import { type Server, startServer } from "../../contract/Server.ts"
import { discard } from "../store/Postgres.ts"

interface Batch {
  readonly data: ReadonlyArray<{ readonly index: number; readonly message_id: string }>
}

const SIZE = 40

let server: Server
beforeAll(async () => {
  server = await startServer({ env: { PEYK_LEASE_MS: "1000" } })
})
afterAll(async () => {
  await server?.kill()
  if (server !== undefined) await discard(server.dataDir)
})

const post = (body: string, once: string) =>
  request(server, "POST", "/v1/messages/batch", {
    headers: {
      "x-api-key": server.demo.live_key,
      "content-type": "application/json",
      "idempotency-key": once
    },
    body
  })

describe("a batch of messages, after kill -9", () => {
  // At several moments: while it is read, stored, answered, and sent.
  it.each([1, 10, 30])(
    "%i ms into the request is created once when the request is repeated",
    async (millis) => {
      const phones = Array.from({ length: SIZE }, newPhone)
      const body = JSON.stringify({
        messages: phones.map((to) => ({ to, message: "سلام", channels: "sms" }))
      })
      const once = newKey()
      const lost = post(body, once).catch(() => undefined)
      await pause(millis)
      await server.kill()
      await lost
      server = await server.restart()
      const repeated = await post(body, once)
      const { data } = ok<Batch>(repeated)
      expect((await post(body, once)).text).toBe(repeated.text)
      expect(new Set(data.map(({ message_id }) => message_id)).size).toBe(SIZE)
      const api = messages(server, server.demo.live_key)
      for (const { message_id } of data) await api.completed(message_id, 60_000)
      for (const phone of phones) {
        expect((await simulated(server, phone)).length).toBeLessThanOrEqual(1)
        const listed = await request(server, "GET", `/v1/messages?to=${encodeURIComponent(phone)}`, {
          headers: { "x-api-key": server.demo.live_key }
        })
        expect(ok<Batch>(listed).data).toHaveLength(1)
      }
    },
    120_000
  )
})
