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
let url: string
let server: Running
let customer: Customer

beforeAll(async () => {
  postgres = await startExternal()
  url = await postgres.newDatabase()
  server = await startProcess({
    env: {
      DATABASE_URL: url,
      PEYK_SECRET: randomBytes(32).toString("base64"),
      PEYK_SIMULATOR: "true",
      PEYK_LEASE_MS: "1000"
    }
  })
  customer = await customerWith(server, { sms: {} })
})
afterAll(async () => {
  await server?.stop()
  await postgres?.discard()
})

const askAt = (place: string, statement: string) =>
  Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(place), maxConnections: 1 }))
    )
  )

const ask = (statement: string) => askAt(url, statement)

/** The database is as it is on a standby, for connections that are made from now on; those there were are closed. */
const setReadOnly = async (value: "on" | "off") => {
  const elsewhere = new URL(url)
  const name = elsewhere.pathname.slice(1)
  elsewhere.pathname = "/postgres"
  await askAt(elsewhere.href, `alter database ${name} set default_transaction_read_only = ${value}`)
  const terminate = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`
  await askAt(elsewhere.href, terminate)
}

const TABLES = ["verifications", "messages"]

/** Every write fails with this SQLSTATE, as on a full disk. */
const failWith = async (sqlState: string) => {
  await ask(`create or replace function fail_to_write() returns trigger language plpgsql as $$
    begin raise exception 'could not extend a file' using errcode = '${sqlState}'; end $$`)
  for (const table of TABLES) {
    await ask(`create or replace trigger fail_to_write before insert or update on ${table}
      for each statement execute function fail_to_write()`)
  }
}

const mend = async () => {
  for (const table of TABLES) await ask(`drop trigger fail_to_write on ${table}`)
}

const unavailable = (reply: Reply) => {
  refused(reply, 503, "service_unavailable")
  expect(reply.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
}

const send = () => otp(server, customer.live).send({ channels: "sms" })
const readyz = () => request(server, "GET", "/readyz")

const untilReady = () =>
  until("/readyz to answer 200", async () => ((await readyz()).status === 200 ? true : undefined), 60_000)

const untilNotReady = () =>
  until(
    "/readyz to answer 503",
    async () => {
      const reply = await readyz()
      return reply.status === 503 ? reply : undefined
    },
    60_000
  )

describe("a PostgreSQL that answers but cannot work now", () => {
  it.each(["53100", "53200", "57P01", "58030", "25006"])(
    "makes sends and /readyz 503 with Retry-After (%s), and is noticed when it works again",
    async (sqlState) => {
      await untilReady()
      await failWith(sqlState)
      unavailable(await send())
      unavailable(await readyz())
      unavailable(await messages(server, customer.live).send())
      await mend()
      ok(await send())
      await untilReady()
    },
    90_000
  )

  it("that is read-only after a failover makes /readyz 503, before anything is written", async () => {
    await untilReady()
    await setReadOnly("on")
    unavailable(await untilNotReady())
    unavailable(await send())
    await setReadOnly("off")
    await untilReady()
    ok(await send())
  }, 120_000)

  it("halts what is due, which is done once it works again", async () => {
    await untilReady()
    const api = messages(server, customer.live)
    const { message_id: id } = await api.created({ delay: "2s" })
    await failWith("53100")
    unavailable(await untilNotReady())
    await mend()
    expect((await api.completed(id, 60_000)).successful_attempts).toBe(1)
    await untilReady()
  }, 120_000)
})
