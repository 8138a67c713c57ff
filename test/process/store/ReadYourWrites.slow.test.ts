import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Manager, newManager } from "../../contract/ManagedSetUp.ts"
import { type Running, startProcess } from "../../contract/Server.ts"
import { type ExternalPostgres, startExternal } from "./Postgres.ts"
import { apiRounds, commandRounds, type Round } from "./SetUpWrites.ts"

/** Each kind of write four times from each process to each. */
const ROUNDS = 176

let postgres: ExternalPostgres
let url: string
let a: Running
let b: Running
let mine: Manager & { readonly customerId: string }
let rounds: ReadonlyArray<Round>
let commands: ReadonlyArray<Round>

const query = (statement: string) =>
  Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<{ readonly pid: number }>(statement)).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
    )
  )

const LISTENING = `from pg_stat_activity where datname = current_database() and query ilike 'listen%'`

beforeAll(async () => {
  postgres = await startExternal()
  url = await postgres.newDatabase()
  const env = {
    DATABASE_URL: url,
    PEYK_SECRET: randomBytes(32).toString("base64"),
    PEYK_SIMULATOR: "true",
    PEYK_LIMIT_PHONE_HOUR: "0",
    PEYK_LIMIT_PHONE_DAY: "0",
    PEYK_COOLDOWN_FAILURES: "1000",
    PEYK_LIMIT_MANAGE_MINUTE: "0"
  }
  a = await startProcess({ env })
  b = await startProcess({ env })
  mine = await newManager(a)
  const { secret } = await mine.newKey()
  const bale = await mine.newAccount("bale")
  const sms = await mine.newAccount("sms", { default: true })
  const otherSms = await mine.newAccount("sms")
  const subject = { token: mine.token, customerId: mine.customerId, secret }
  rounds = apiRounds(subject, {
    bale: bale.credential_id,
    sms: sms.credential_id,
    otherSms: otherSms.credential_id
  })
  commands = commandRounds(subject)
})
afterAll(async () => {
  await a?.stop()
  await b?.stop()
  await postgres?.discard()
})

/** Each kind of write in turn, over every pair of processes; returns the rounds whose answer did not show the write. */
const staleAmong = async (kinds: ReadonlyArray<Round>, count: number) => {
  const stale: Array<unknown> = []
  for (let round = 0; round < count; round++) {
    const pair = Math.floor(round / kinds.length)
    const written = pair % 2 === 0 ? a : b
    const asked = Math.floor(pair / 2) % 2 === 0 ? b : a
    const shown = await kinds[round % kinds.length]?.({ written, asked })
    if (JSON.stringify(shown?.seen) !== JSON.stringify(shown?.expected)) stale.push({ round, ...shown })
  }
  return stale
}

describe("a write to a customer's set-up, once it is answered, is what every process goes by", () => {
  it("while notifications arrive", async () => {
    expect(await staleAmong(rounds, ROUNDS)).toEqual([])
  }, 600_000)

  it("when it is made by the command line", async () => {
    expect(await staleAmong(commands, commands.length)).toEqual([])
  }, 600_000)

  it("while connections that listen are terminated", async () => {
    const stale = await staleAmong(
      rounds.map((round): Round => async (processes) => {
        await query(`select pg_terminate_backend(pid) ${LISTENING}`)
        return round(processes)
      }),
      ROUNDS
    )
    expect(stale).toEqual([])
  }, 600_000)

  it("while connections that listen are silent", async () => {
    const listeners = await query(`select pid ${LISTENING}`)
    // Their backends are stopped: no notification comes, and nothing says so.
    for (const { pid } of listeners) process.kill(pid, "SIGSTOP")
    try {
      expect(await staleAmong(rounds, ROUNDS)).toEqual([])
    } finally {
      for (const { pid } of listeners) process.kill(pid, "SIGCONT")
    }
  }, 600_000)
})
