import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  newKey,
  newPhone,
  ok,
  otp,
  type Outcome,
  type Reply,
  refused,
  request,
  type Sent,
  type Status
} from "../../contract/Client.ts"
import { BRIDGE_SECRET, connectAccount } from "../../contract/FarEnds.ts"
import { type Customer, customerWith, sentCode } from "../../contract/Operator.ts"
import { type Running, startProcess, until } from "../../contract/Server.ts"
import { type SilentProxy, silentProxy } from "./SilentProxy.ts"
import { type ExternalPostgres, startExternal } from "./Postgres.ts"

// Without a FIN and without an RST: a pooler that hangs, a host that froze, a firewall that forgot a connection.

const DEADLINE_MILLIS = 60_000
const STATEMENT_TIMEOUT_MILLIS = 3000
/** Each request has a response in this time, whatever the connections do; the provider's time not counted. */
const BOUND_MILLIS = STATEMENT_TIMEOUT_MILLIS + 2000
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
      PEYK_ALLOW_PRIVATE_ADDRESSES: "true",
      PEYK_LEASE_MS: "1000",
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

const PAUSE_MILLIS = 200
const SILENCE_AFTER_MILLIS = 1000

/** Makes requests of each kind all the time, and returns how long those took that took longest, by kind. */
const slowestDuring = async ({ server, customer }: Stage, code: { readonly id: string }, millis: number) => {
  const client = otp(server, customer.live)
  const kinds: Readonly<Record<string, () => Promise<Reply>>> = {
    send: () => client.send({ channels: "sms" }),
    verify: () => client.verify(code.id, "000"),
    status: () => client.read(code.id),
    list: () => request(server, "GET", "/v1/otp", { headers: { "x-api-key": customer.live } })
  }
  const slowest: Record<string, number> = {}
  const measured = async (kind: string, ask: () => Promise<Reply>) => {
    const from = performance.now()
    const reply = await ask()
    slowest[kind] = Math.max(slowest[kind] ?? 0, performance.now() - from)
    if (reply.status >= 500) refused(reply, 503, "service_unavailable")
  }
  const asked: Array<Promise<void>> = []
  for (let at = 0; at < millis; at += PAUSE_MILLIS) {
    for (const [kind, ask] of Object.entries(kinds)) asked.push(measured(kind, ask))
    await pause(PAUSE_MILLIS)
  }
  await Promise.all(asked)
  return slowest
}

// At the same time, but after those before: servers that start take the time of responses that are measured.
describe("while connections to PostgreSQL are silent", () => {
  it.concurrent.each([
    ["and new ones work", false],
    ["and new ones are silent too", true]
  ])(
    "each request has a response in time, %s",
    async (_, silencesNew) => {
      const stage = await openStage()
      await untilSendsWork(stage)
      const code = await sentCode(stage.server, stage.customer.live)
      const [slowest] = await Promise.all([
        slowestDuring(stage, code, 4 * STATEMENT_TIMEOUT_MILLIS),
        pause(SILENCE_AFTER_MILLIS).then(() => {
          if (silencesNew) stage.proxy.silenceNew()
          stage.proxy.silence()
        })
      ])
      for (const [kind, millis] of Object.entries(slowest)) expect(millis, kind).toBeLessThan(BOUND_MILLIS)
      stage.proxy.release()
      await untilSendsWork(stage)
    },
    120_000
  )

  it.concurrent("the time of a provider does not count, and what could not be recorded in time is recorded later", async () => {
    const stage = await openStage()
    const { proxy, server, customer } = stage
    let answeredAt = Number.POSITIVE_INFINITY
    const gateway = createServer((_, response) => {
      void pause(BOUND_MILLIS + 1000).then(() => {
        proxy.silenceNew()
        proxy.silence()
        response.setHeader("content-type", "application/json")
        response.end('{"status":"accepted"}')
        answeredAt = performance.now()
      })
    })
    await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
    await connectAccount(server, customer.id, "bale", "bridge", { url, secret: BRIDGE_SECRET })
    const client = otp(server, customer.live)
    const [body, key] = [{ phone: newPhone(), channels: "bale" }, newKey()]
    refused(await client.postSend(body, { "idempotency-key": key }), 503, "service_unavailable")
    expect(performance.now() - answeredAt).toBeGreaterThan(0)
    expect(performance.now() - answeredAt).toBeLessThan(BOUND_MILLIS)
    proxy.release()
    await untilSendsWork(stage)
    // Some connections can still be silent.
    const { verification_id: id } = await until(
      "the send to be recorded",
      async () => {
        const reply = await client.postSend(body, { "idempotency-key": key })
        return reply.status === 200 ? ok<Sent>(reply) : undefined
      },
      DEADLINE_MILLIS
    )
    await until(
      "its attempt",
      async () => {
        const reply = await client.read(id)
        return reply.status === 200 && ok<Status>(reply).attempts.length === 1 ? true : undefined
      },
      DEADLINE_MILLIS
    )
    gateway.closeAllConnections()
    gateway.close()
  }, 120_000)
})
