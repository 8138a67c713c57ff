import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newKey, newPhone, ok, type Reply, request } from "../../contract/Client.ts"
import { customerWith, simulated } from "../../contract/Operator.ts"
import { type Server, startServer, until } from "../../contract/Server.ts"
import { programFile } from "../../support/Programs.ts"
import { discard, timersIn } from "../store/Postgres.ts"

interface Message {
  readonly message_id: string
  readonly status: string
  readonly attempts: ReadonlyArray<{ readonly sequence: number; readonly error_code: string | null }>
}

const env = { PEYK_LEASE_MS: "1000", PEYK_TIMER_CONCURRENCY: "8" }

/** All tests go on with the process that the one before left. */
let server: Server
beforeAll(async () => {
  server = await startServer({ env })
})
afterAll(async () => {
  await server?.kill()
  if (server !== undefined) await discard(server.dataDir)
})

const api = (key: string) => ({
  post: (body: object, headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
    request(server, "POST", "/v1/messages/send", {
      headers: { "x-api-key": key, "content-type": "application/json", ...headers },
      body: JSON.stringify({ message: "سلام", ...body })
    }),
  read: async (id: string): Promise<Message> =>
    ok<Message>(await request(server, "GET", `/v1/messages/${id}`, { headers: { "x-api-key": key } }))
})

const isComplete = ({ status }: Message) => status !== "queued" && status !== "sending"

const completed = (key: string, id: string) =>
  until(
    `message ${id} to be complete`,
    async () => {
      const message = await api(key).read(id)
      return isComplete(message) ? message : undefined
    },
    30_000
  )

const channelsOf = async (phone: string) => (await simulated(server, phone)).map(({ channel }) => channel)

const crash = async () => {
  await server.kill()
  server = await server.restart()
}

/** `kill -9`, and a new process on the same data, at a time that is `seconds` later than ours. */
const crashAndReturnAfter = async (seconds: number) => {
  await server.kill()
  server = await startServer({
    dataDir: server.dataDir,
    command: [programFile("ServeAhead")],
    env: { ...env, PEYK_TEST_AHEAD_MS: String(seconds * 1000) }
  })
}

describe("after kill -9", () => {
  it("during the call to a provider the outcome is unknown, and the next route is used once", async () => {
    const { live } = await customerWith(server, { bale: { latency_ms: 4000 }, sms: {} })
    const phone = newPhone()
    const { message_id: id } = ok<Message>(
      await api(live).post({ to: phone, channels: ["bale", "sms"] }),
      201
    )
    await until("the call to be under way", async () => (await channelsOf(phone)).at(0))
    await crash()
    expect(await completed(live, id)).toMatchObject({
      status: "sent",
      successful_attempts: 1,
      failed_attempts: 1,
      attempts: [
        { sequence: 1, status: "failed", error_code: "provider_outcome_unknown" },
        { sequence: 2, status: "sent" }
      ]
    })
    expect(await channelsOf(phone)).toEqual(["bale", "sms"])
  }, 90_000)

  it("in the middle of many messages none is lost, and none is sent twice on a route", async () => {
    const { live } = await customerWith(server, {
      bale: { latency_ms: 100 },
      eitaa: { latency_ms: 50, outcome: "unreachable" },
      sms: {}
    })
    const requests = Array.from({ length: 60 }, (_, n) => ({
      phone: newPhone(),
      key: newKey(),
      body: {
        channels: ["eitaa", "bale", "sms"],
        strategy: n % 3 === 0 ? "broadcast" : "failover"
      }
    }))
    const send = ({ phone, key, body }: (typeof requests)[number]) =>
      api(live).post({ to: phone, ...body }, { "idempotency-key": key })
    const cut = Promise.all(requests.map((each) => send(each).catch(() => undefined)))
    await until("some to be sent", async () =>
      (await simulated(server, requests[0]?.phone ?? "")).length > 0 ? true : undefined
    )
    await crash()
    const answered = await cut

    // Clients with and without a response repeat the request, with the same key.
    for (const [index, each] of requests.entries()) {
      const { message_id: id } = ok<Message>(await send(each), 201)
      const before = answered[index]
      if (before !== undefined) expect(ok<Message>(before, 201).message_id).toBe(id)
      await completed(live, id)
      const channels = await channelsOf(each.phone)
      expect(channels, each.body.strategy).toEqual([...new Set(channels)])
      expect(channels.length).toBeGreaterThan(0)
    }
    expect(await timersIn(server.dataDir)).toBe(0)
  }, 120_000)

  it("a scheduled message is sent at its time, once", async () => {
    const key = server.demo.live_key
    const phone = newPhone()
    const { message_id: id } = ok<Message>(
      await api(key).post({ to: phone, channels: ["bale", "sms"], delay: "2h" }),
      201
    )
    await crashAndReturnAfter(3600)
    expect(await api(key).read(id)).toMatchObject({ status: "queued", attempts: [] })
    await crashAndReturnAfter(7300)
    expect(await completed(key, id)).toMatchObject({ status: "sent", attempts: [{ sequence: 1 }] })
    await crashAndReturnAfter(7400)
    expect(await channelsOf(phone)).toEqual(["bale"])
  }, 120_000)
})
