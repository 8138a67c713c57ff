import { createServer, type Server as HttpServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newKey, newPhone, otp } from "../../contract/Client.ts"
import { BRIDGE_SECRET, connectAccount } from "../../contract/FarEnds.ts"
import { newCustomer } from "../../contract/Operator.ts"
import { type Server, startServer } from "../../contract/Server.ts"
import { discard } from "../store/Postgres.ts"

const FLOOD = 1500
const ANSWER_MILLIS = 3000
const CODES = 30

const env = {
  PEYK_ALLOW_PRIVATE_ADDRESSES: "true",
  PEYK_ACCOUNT_GAP_MS: "0",
  PEYK_ACCOUNT_RATE_BALE: "0",
  PEYK_LIMIT_KEY_MINUTE: "0",
  PEYK_FREE_MONTHLY_QUOTA: "0"
}

/** Accepts every send slowly, for all customers; distinguishes codes from texts. */
const slowGateway = () => {
  const now = { code: 0, text: 0 }
  const most = { code: 0, text: 0 }
  const gateway = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const kind = JSON.parse(Buffer.concat(chunks).toString()).kind === "code" ? "code" : "text"
      now[kind] += 1
      most[kind] = Math.max(most[kind], now[kind])
      void pause(ANSWER_MILLIS).then(() => {
        now[kind] -= 1
        response.setHeader("content-type", "application/json")
        response.end('{"status":"accepted"}')
      })
    })
  })
  return new Promise<{ readonly gateway: HttpServer; readonly url: string; readonly most: typeof most }>(
    (resolve) => {
      gateway.listen(0, "127.0.0.1", () =>
        resolve({ gateway, most, url: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}` })
      )
    }
  )
}

let far: Awaited<ReturnType<typeof slowGateway>>
let server: Server
beforeAll(async () => {
  far = await slowGateway()
  server = await startServer({ env })
})
afterAll(async () => {
  await server?.kill()
  if (server !== undefined) await discard(server.dataDir)
  far?.gateway.closeAllConnections()
  far?.gateway.close()
})

const customerOf = async () => {
  const customer = await newCustomer(server)
  await server.cli("wallet", "top-up", "--customer", String(customer.id), "--amount", "10000000")
  await connectAccount(server, customer.id, "bale", "bridge", { url: far.url, secret: BRIDGE_SECRET })
  return customer
}

const sendText = (key: string) =>
  fetch(`${server.url}/v1/messages/send`, {
    method: "POST",
    headers: { "x-api-key": key, "idempotency-key": newKey(), "content-type": "application/json" },
    body: JSON.stringify({ to: newPhone(), message: "x", channels: "bale" })
  }).then(async (response) => {
    await response.arrayBuffer()
    return response.status
  })

describe("a host that answers slowly, and a customer's messages that crowd it", () => {
  it("leaves the connections to another customer's codes: none fails, and no account begins a cooldown", async () => {
    const [flooder, other] = [await customerOf(), await customerOf()]
    for (let sent = 0; sent < FLOOD; sent += 50) {
      const statuses = await Promise.all(Array.from({ length: 50 }, () => sendText(flooder.live)))
      expect(new Set(statuses)).toEqual(new Set([201]))
    }
    const api = otp(server, other.live)
    const codes = await Promise.all(
      Array.from({ length: CODES }, async (_, n) => {
        await pause(n * 100)
        return api.sent({ channels: "bale" })
      })
    )
    for (const { verification_id: id } of codes) {
      expect(await api.status(id)).toMatchObject({ status: "queued", attempts: [{ status: "sent" }] })
    }
    // One customer's share, however many wait.
    expect(far.most.text).toBeLessThanOrEqual(64)
    const accounts = await Promise.all(
      [flooder, other].map(({ id }) => server.cli("account", "list", "--customer", String(id)))
    )
    for (const list of accounts) expect(list).toMatchObject({ data: [{ failures: 0, cooling_until: null }] })
  }, 120_000)
})
