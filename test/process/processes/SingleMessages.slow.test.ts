import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Created, messages, newKey, newPhone, ok, request } from "../../contract/Client.ts"
import { simulated } from "../../contract/Operator.ts"
import { makeDataDir, type Server, startServer } from "../../contract/Server.ts"
import { discard } from "../store/Postgres.ts"

const COUNT = 60

let dataDir: string
let a: Server
let b: Server
beforeAll(async () => {
  dataDir = await makeDataDir()
  const env = { PEYK_LEASE_MS: "1000", PEYK_ACCOUNT_GAP_MS: "0", PEYK_ACCOUNT_RATE_BALE: "0" }
  a = await startServer({ env, dataDir })
  b = await startServer({ env, dataDir })
})
afterAll(async () => {
  await a?.kill()
  await b?.kill()
  await discard(dataDir)
})

interface Asked {
  readonly to: string
  readonly key: string
}

interface Money {
  readonly balance: number
  readonly held: number
}

const walletNow = async () =>
  (await b.cli("wallet", "show", "--customer", String(b.demo.customer_id))) as unknown as Money

const post = (server: Server, { to, key }: Asked) =>
  messages(server, server.demo.live_key).post(
    { to, message: "سلام", channels: "bale" },
    { "idempotency-key": key }
  )

const askedOf = (count: number): ReadonlyArray<Asked> =>
  Array.from({ length: count }, () => ({ to: newPhone(), key: newKey() }))

/** The message of each request: made now, or before. */
const created = (server: Server, asked: ReadonlyArray<Asked>) =>
  Promise.all(asked.map(async (each) => ok<Created>(await post(server, each), 201).message_id))

const listedTo = async (phone: string) => {
  const path = `/v1/messages?to=${encodeURIComponent(phone)}`
  const listed = await request(b, "GET", path, { headers: { "x-api-key": b.demo.live_key } })
  return ok<{ readonly data: ReadonlyArray<unknown> }>(listed).data.length
}

describe("single messages in bursts", () => {
  it("with the same keys at two processes at the same time are made once, sent once and paid once", async () => {
    const asked = askedOf(COUNT)
    const before = await walletNow()
    const [first, second] = await Promise.all([created(a, asked), created(b, asked)])
    expect(second).toEqual(first)
    const api = messages(b, b.demo.live_key)
    for (const id of first) expect(await api.completed(id)).toMatchObject({ status: "sent" })
    for (const { to } of asked) expect(await simulated(b, to)).toHaveLength(1)
    const after = await walletNow()
    const [only] = askedOf(1)
    if (only === undefined) throw new Error("no request")
    await api.completed(ok<Created>(await post(b, only), 201).message_id)
    const price = after.balance - (await walletNow()).balance
    expect(price).toBeGreaterThan(0)
    expect(after).toMatchObject({ balance: before.balance - COUNT * price, held: 0 })
  }, 60_000)

  // At several moments: while they are read, accepted, sent and recorded.
  it.each([5, 20, 60])(
    "are made once each and paid if sent, when the process is killed %i ms into the burst",
    async (millis) => {
      const asked = askedOf(COUNT)
      const before = await walletNow()
      const lost = Promise.allSettled(asked.map((each) => post(a, each)))
      await pause(millis)
      await a.kill()
      await lost
      a = await a.restart()
      const ids = await created(b, asked)
      expect(new Set(ids).size).toBe(COUNT)
      const api = messages(b, b.demo.live_key)
      const statuses: Array<string> = []
      for (const id of ids) statuses.push((await api.completed(id, 60_000)).status)
      for (const { to } of asked) {
        expect((await simulated(b, to)).length).toBeLessThanOrEqual(1)
        expect(await listedTo(to)).toBe(1)
      }
      const sent = statuses.filter((status) => status === "sent").length
      expect(await walletNow()).toMatchObject({ balance: before.balance - sent * 1000, held: 0 })
    },
    120_000
  )
})
