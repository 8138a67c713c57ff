import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ok, otp, refused, request } from "../../contract/Client.ts"
import { type Customer, customerWith } from "../../contract/Operator.ts"
import { type Running, startProcess, until } from "../../contract/Server.ts"
import { type SilentProxy, silentProxy } from "./SilentProxy.ts"
import { type ExternalPostgres, startExternal } from "./Postgres.ts"

// Without a FIN and without an RST: a pooler that hangs, a host that froze, a firewall that forgot a connection.

const DEADLINE_MILLIS = 60_000
/** Sends work again no later than this after new connections do. */
const WELL_AGAIN_MILLIS = 15_000

let postgres: ExternalPostgres
let proxy: SilentProxy
let server: Running
let customer: Customer

beforeAll(async () => {
  postgres = await startExternal()
  const url = new URL(await postgres.newDatabase())
  proxy = await silentProxy(`${url.searchParams.get("host")}/.s.PGSQL.5432`)
  url.searchParams.set("host", "127.0.0.1")
  url.searchParams.set("port", String(proxy.port))
  server = await startProcess({
    env: {
      DATABASE_URL: url.href,
      PEYK_SECRET: randomBytes(32).toString("base64"),
      PEYK_SIMULATOR: "true",
      PEYK_FREE_MONTHLY_QUOTA: "0",
      PEYK_STATEMENT_TIMEOUT_MS: "3000"
    }
  })
  customer = await customerWith(server, { sms: {} })
})
afterAll(async () => {
  await server?.stop()
  proxy?.close()
  await postgres?.discard()
})

const send = () => otp(server, customer.live).send({ channels: "sms" })

/** Many at once take many connections. */
const sendMany = () => Promise.all(Array.from({ length: 20 }, send))

/** Each request ends: with what was asked for, or a 503 that says when to try again. */
const untilSendsWork = () =>
  until(
    "sends to work again",
    async () => {
      const replies = await sendMany()
      for (const reply of replies.filter(({ status }) => status !== 200)) {
        refused(reply, 503, "service_unavailable")
        expect(reply.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
      }
      return replies.every(({ status }) => status === 200) ? true : undefined
    },
    DEADLINE_MILLIS
  )

const untilReady = (status: 200 | 503) =>
  until(
    `/readyz to answer ${status}`,
    async () => ((await request(server, "GET", "/readyz")).status === status ? true : undefined),
    DEADLINE_MILLIS
  )

const givenUp = async () =>
  Number(
    /^peyk_database_connections_given_up_total (\d+)/m.exec(
      await (await fetch(`${server.url}/metrics`)).text()
    )?.[1]
  )

describe("the connection that changes are heard on", () => {
  it("is replaced when it falls silent, and what was revoked meanwhile is refused", async () => {
    const key = (await server.cli("key", "create", "--customer", customer.id, "--mode", "live")) as {
      readonly id: number
      readonly secret: string
    }
    const asks = () => otp(server, key.secret).send({ channels: "sms" })
    ok(await asks())
    expect(proxy.seen("LISTEN")).toBe(1)
    proxy.silence("LISTEN")
    await server.cli("key", "revoke", "--key", String(key.id))
    await until(
      "the key to be refused",
      async () => ((await asks()).status === 401 ? true : undefined),
      DEADLINE_MILLIS
    )
    await until(
      "another connection to listen",
      async () => {
        await send()
        return proxy.seen("LISTEN") === 2 ? true : undefined
      },
      DEADLINE_MILLIS
    )
  }, 120_000)
})

describe("connections to PostgreSQL that fall silent", () => {
  it("are given up: sends and /readyz are well again while new connections work", async () => {
    await untilSendsWork()
    const before = await givenUp()
    const silentFrom = performance.now()
    proxy.silence()
    await untilSendsWork()
    await untilReady(200)
    expect(performance.now() - silentFrom).toBeLessThan(WELL_AGAIN_MILLIS)
    expect(await givenUp()).toBeGreaterThan(before)
  }, 90_000)

  it("are given up also while new ones are silent too: requests end with 503, and work when new ones do", async () => {
    await untilSendsWork()
    proxy.silenceNew()
    proxy.silence()
    await untilReady(503)
    const replies = await sendMany()
    for (const reply of replies) refused(reply, 503, "service_unavailable")
    const openFrom = performance.now()
    proxy.release()
    await untilSendsWork()
    await untilReady(200)
    expect(performance.now() - openFrom).toBeLessThan(WELL_AGAIN_MILLIS)
  }, 120_000)
})
