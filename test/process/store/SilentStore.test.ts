import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ok, otp, type Outcome, refused, request } from "../../contract/Client.ts"
import { type Customer, customerWith, sentCode } from "../../contract/Operator.ts"
import { type Running, startProcess, until } from "../../contract/Server.ts"
import { type SilentProxy, silentProxy } from "./SilentProxy.ts"
import { type ExternalPostgres, startExternal } from "./Postgres.ts"

// Without a FIN and without an RST: a pooler that hangs, a host that froze, a firewall that forgot a connection.

const DEADLINE_MILLIS = 60_000
const STATEMENT_TIMEOUT_MILLIS = 3000
/** Sends work again no later than this after new connections do. */
const WELL_AGAIN_MILLIS = 15_000

let postgres: ExternalPostgres
const opened: Array<Stage> = []

beforeAll(async () => {
  postgres = await startExternal()
})
afterAll(async () => {
  for (const { server, proxy } of opened) {
    await server.stop()
    proxy.close()
  }
  await postgres?.discard()
})

interface Stage {
  readonly proxy: SilentProxy
  readonly server: Running
  readonly customer: Customer
}

/** A server whose connections lead through a proxy of its own. */
const openStage = async (): Promise<Stage> => {
  const url = new URL(await postgres.newDatabase())
  const proxy = await silentProxy(`${url.searchParams.get("host")}/.s.PGSQL.5432`)
  url.searchParams.set("host", "127.0.0.1")
  url.searchParams.set("port", String(proxy.port))
  const server = await startProcess({
    env: {
      DATABASE_URL: url.href,
      PEYK_SECRET: randomBytes(32).toString("base64"),
      PEYK_SIMULATOR: "true",
      PEYK_FREE_MONTHLY_QUOTA: "0",
      PEYK_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MILLIS)
    }
  })
  const stage = { proxy, server, customer: await customerWith(server, { sms: {} }) }
  opened.push(stage)
  return stage
}

const send = ({ server, customer }: Stage) => otp(server, customer.live).send({ channels: "sms" })

/** Many at once take many connections. */
const sendMany = (stage: Stage) => Promise.all(Array.from({ length: 20 }, () => send(stage)))

/** Each request ends: with what was asked for, or a 503 that says when to try again. */
const untilSendsWork = (stage: Stage) =>
  until(
    "sends to work again",
    async () => {
      const replies = await sendMany(stage)
      for (const reply of replies.filter(({ status }) => status !== 200)) {
        refused(reply, 503, "service_unavailable")
        expect(reply.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
      }
      return replies.every(({ status }) => status === 200) ? true : undefined
    },
    DEADLINE_MILLIS
  )

const untilReady = ({ server }: Stage, status: 200 | 503) =>
  until(
    `/readyz to answer ${status}`,
    async () => ((await request(server, "GET", "/readyz")).status === status ? true : undefined),
    DEADLINE_MILLIS
  )

const givenUp = async ({ server }: Stage) =>
  Number(
    /^peyk_database_connections_given_up_total (\d+)/m.exec(
      await (await fetch(`${server.url}/metrics`)).text()
    )?.[1]
  )

describe.concurrent("the connection that changes are heard on", () => {
  it("is replaced when it falls silent, and what was revoked meanwhile is refused", async () => {
    const stage = await openStage()
    const { server, proxy, customer } = stage
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
        await send(stage)
        return proxy.seen("LISTEN") === 2 ? true : undefined
      },
      DEADLINE_MILLIS
    )
  }, 120_000)
})

describe.concurrent("connections to PostgreSQL that fall silent", () => {
  it("leave a code that was accepted before as it was: it is verified once new ones work", async () => {
    const stage = await openStage()
    const { proxy, server, customer } = stage
    await untilSendsWork(stage)
    const { id, code } = await sentCode(server, customer.live)
    proxy.silenceNew()
    proxy.silence()
    const client = otp(server, customer.live)
    refused(await client.verify(id, code), 503, "service_unavailable")
    proxy.release()
    await untilSendsWork(stage)
    expect(ok<Outcome>(await client.verify(id, code)).verified).toBe(true)
  }, 120_000)

  it("are given up: sends and /readyz are well again while new connections work", async () => {
    const stage = await openStage()
    const { proxy } = stage
    await untilSendsWork(stage)
    const before = await givenUp(stage)
    const silentFrom = performance.now()
    proxy.silence()
    await untilSendsWork(stage)
    await untilReady(stage, 200)
    expect(performance.now() - silentFrom).toBeLessThan(WELL_AGAIN_MILLIS)
    expect(await givenUp(stage)).toBeGreaterThan(before)
  }, 90_000)

  it("are given up also while new ones are silent too: requests end with 503, and work when new ones do", async () => {
    const stage = await openStage()
    const { proxy } = stage
    await untilSendsWork(stage)
    proxy.silenceNew()
    proxy.silence()
    await untilReady(stage, 503)
    const replies = await sendMany(stage)
    for (const reply of replies) refused(reply, 503, "service_unavailable")
    const openFrom = performance.now()
    proxy.release()
    await untilSendsWork(stage)
    await untilReady(stage, 200)
    expect(performance.now() - openFrom).toBeLessThan(WELL_AGAIN_MILLIS)
  }, 120_000)
})
