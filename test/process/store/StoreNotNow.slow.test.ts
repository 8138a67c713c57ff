import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { messages, ok, otp, type Reply, refused, request } from "../../contract/Client.ts"
import { type Customer, customerWith } from "../../contract/Operator.ts"
import { type Running, startProcess, until } from "../../contract/Server.ts"
import { type ExternalPostgres, startExternal } from "./Postgres.ts"

let postgres: ExternalPostgres
const servers: Array<Running> = []

beforeAll(async () => {
  postgres = await startExternal()
})
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  await postgres?.discard()
})

interface Stage {
  readonly url: string
  readonly server: Running
  readonly customer: Customer
}

/** A server on a database of its own. */
const openStage = async (): Promise<Stage> => {
  const url = await postgres.newDatabase()
  const server = await startProcess({
    env: {
      DATABASE_URL: url,
      // The servers of all tests share one PostgreSQL's connections.
      PEYK_DATABASE_POOL: "4",
      PEYK_SECRET: randomBytes(32).toString("base64"),
      PEYK_SIMULATOR: "true",
      PEYK_LEASE_MS: "1000"
    }
  })
  servers.push(server)
  return { url, server, customer: await customerWith(server, { sms: {} }) }
}

const askAt = (place: string, statement: string) =>
  Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(place), maxConnections: 1 }))
    )
  )

/** The database is as it is on a standby, for connections that are made from now on; those there were are closed. */
const setReadOnly = async ({ url }: Stage, value: "on" | "off") => {
  const elsewhere = new URL(url)
  const name = elsewhere.pathname.slice(1)
  elsewhere.pathname = "/postgres"
  await askAt(elsewhere.href, `alter database ${name} set default_transaction_read_only = ${value}`)
  const terminate = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`
  await askAt(elsewhere.href, terminate)
}

const TABLES = ["verifications", "messages"]

/** Every write fails with this SQLSTATE, as on a full disk. */
const failWith = async ({ url }: Stage, sqlState: string) => {
  await askAt(
    url,
    `create or replace function fail_to_write() returns trigger language plpgsql as $$
    begin raise exception 'could not extend a file' using errcode = '${sqlState}'; end $$`
  )
  for (const table of TABLES) {
    await askAt(
      url,
      `create or replace trigger fail_to_write before insert or update on ${table}
      for each statement execute function fail_to_write()`
    )
  }
}

const mend = async ({ url }: Stage) => {
  for (const table of TABLES) await askAt(url, `drop trigger fail_to_write on ${table}`)
}

const unavailable = (reply: Reply) => {
  refused(reply, 503, "service_unavailable")
  expect(reply.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
}

const send = ({ server, customer }: Stage) => otp(server, customer.live).send({ channels: "sms" })
const readyz = ({ server }: Stage) => request(server, "GET", "/readyz")

const untilReady = (stage: Stage) =>
  until(
    "/readyz to answer 200",
    async () => ((await readyz(stage)).status === 200 ? true : undefined),
    60_000
  )

const untilNotReady = (stage: Stage) =>
  until(
    "/readyz to answer 503",
    async () => {
      const reply = await readyz(stage)
      return reply.status === 503 ? reply : undefined
    },
    60_000
  )

// At the same time, because each waits for seconds.
describe.concurrent("a PostgreSQL that answers but cannot work now", () => {
  it.each(["53100", "53200", "57P01", "58030", "25006"])(
    "makes sends and /readyz 503 with Retry-After (%s), and is noticed when it works again",
    async (sqlState) => {
      const stage = await openStage()
      await failWith(stage, sqlState)
      unavailable(await send(stage))
      unavailable(await readyz(stage))
      unavailable(await messages(stage.server, stage.customer.live).send())
      await mend(stage)
      ok(await send(stage))
      await untilReady(stage)
    },
    90_000
  )

  it("that is read-only after a failover makes /readyz 503, before anything is written", async () => {
    const stage = await openStage()
    await setReadOnly(stage, "on")
    unavailable(await untilNotReady(stage))
    unavailable(await send(stage))
    await setReadOnly(stage, "off")
    await untilReady(stage)
    ok(await send(stage))
  }, 120_000)

  it("halts what is due, which is done once it works again", async () => {
    const stage = await openStage()
    const { server, customer } = stage
    const api = messages(server, customer.live)
    const { message_id: id } = await api.created({ delay: "2s" })
    await failWith(stage, "53100")
    unavailable(await untilNotReady(stage))
    await mend(stage)
    expect((await api.completed(id, 60_000)).successful_attempts).toBe(1)
    await untilReady(stage)
  }, 120_000)

  it("is logged once, with PostgreSQL's own words, and when it works again", async () => {
    const stage = await openStage()
    await failWith(stage, "53100")
    unavailable(await send(stage))
    const logged = /PostgreSQL refuses to work: .*could not extend a file/g
    await until("the reason to be logged", async () => stage.server.output().match(logged) ?? undefined)
    unavailable(await readyz(stage))
    await mend(stage)
    await untilReady(stage)
    expect(stage.server.output().match(logged)).toHaveLength(1)
    expect(stage.server.output()).toContain("PostgreSQL takes writes again")
  }, 90_000)
})
