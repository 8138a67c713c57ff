import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ok, otp, type Outcome, type Sent } from "../../contract/Client.ts"
import { codeOf, type Customer, customerWith } from "../../contract/Operator.ts"
import { neutralEnvironment, type Running, runProgram, startProcess, until } from "../../contract/Server.ts"
import { hasPgBouncer, startPgBouncer } from "./PgBouncer.ts"
import { answerOf, type ExternalPostgres, startExternal } from "./Postgres.ts"
import { type TransactionPooler, transactionPooler } from "./TransactionPooler.ts"

const SESSIONS = 3

let postgres: ExternalPostgres
let direct: string
beforeAll(async () => {
  postgres = await startExternal()
  direct = await postgres.newDatabase()
})
afterAll(() => postgres?.discard())

/** Through a port of this machine, with the database, user and password of a URL. */
const through = ({ port }: { readonly port: number }, url: string) => {
  const changed = new URL(url)
  changed.searchParams.set("host", "127.0.0.1")
  changed.searchParams.set("port", String(port))
  return changed.href
}

const PEYK_SECRET = randomBytes(32).toString("base64")
const environment = (DATABASE_URL: string) => ({
  DATABASE_URL,
  PEYK_SECRET,
  PEYK_SIMULATOR: "true",
  PEYK_FREE_MONTHLY_QUOTA: "0",
  PEYK_LIMIT_PHONE_HOUR: "0",
  PEYK_LIMIT_PHONE_DAY: "0"
})

const listeners = () =>
  answerOf(
    direct,
    `select count(*)::int as answer from pg_stat_activity
     where datname = current_database() and query ilike 'listen%'`
  )

/** A strict one that needs no package always, and the real one where its package is installed. */
const poolers: ReadonlyArray<readonly [string, (url: string) => Promise<TransactionPooler>]> = [
  ["that changes the session after each transaction", (url) => transactionPooler(url, SESSIONS)],
  ...(hasPgBouncer() ? [["that is PgBouncer", startPgBouncer] as const] : [])
]

describe.each(poolers)("through a pooler %s", (_, startPooler) => {
  let pooler: TransactionPooler
  let server: Running
  let customer: Customer

  beforeAll(async () => {
    pooler = await startPooler(direct)
    server = await startProcess({
      env: { ...environment(through(pooler, direct)), PEYK_DATABASE_LISTEN_URL: direct }
    })
    customer = await customerWith(server, { sms: {} })
  })
  afterAll(async () => {
    await server?.stop()
    await pooler?.close()
  })

  it("forty codes at once are sent, and verified", async () => {
    const phones = Array.from({ length: 40 }, (_, index) => `0912${String(3_000_000 + index)}`)
    const client = otp(server, customer.live)
    const verified = await Promise.all(
      phones.map(async (phone) => {
        const { verification_id } = ok<Sent>(await client.send({ phone, channels: "sms" }))
        return ok<Outcome>(await client.verify(verification_id, await codeOf(server, phone))).verified
      })
    )
    expect(verified).toEqual(phones.map(() => true))
  })

  it("one connection listens, and it does not lead through the pooler", async () => {
    expect(await until("the server to listen", async () => ((await listeners()) === 1 ? 1 : undefined))).toBe(
      1
    )
  })

  it("two processes upgrade an empty database at once", async () => {
    const empty = await postgres.newDatabase()
    const other = await startPooler(empty)
    const env = { ...neutralEnvironment(), ...environment(through(other, empty)) }
    const runs = await Promise.all(Array.from({ length: 2 }, () => runProgram(env, ["migrate"])))
    await other.close()
    expect(runs.map(({ code, err }) => ({ code, err }))).toEqual(runs.map(() => ({ code: 0, err: "" })))
    expect(other.violations).toEqual([])
  })

  it("nothing listens without PEYK_DATABASE_LISTEN_URL, and the log says so", async () => {
    const other = await startProcess({ env: environment(through(pooler, direct)) })
    try {
      expect(other.output()).toContain("set PEYK_DATABASE_LISTEN_URL to the database itself")
      expect(await listeners()).toBe(1)
    } finally {
      await other.stop()
    }
  })

  it("a store with cells is refused, because the schema of a connection is not kept", async () => {
    const withCells = await postgres.newDatabase()
    const migrated = await runProgram({ ...neutralEnvironment(), ...environment(withCells) }, ["migrate"])
    expect(migrated.code).toBe(0)
    await answerOf(withCells, "insert into cells (id, name) values (1, 'cell_1') returning id as answer")
    const other = await startPooler(withCells)
    const env = { ...neutralEnvironment(), ...environment(through(other, withCells)) }
    const { code, err } = await runProgram(env, ["customer", "list"])
    await other.close()
    expect(code).toBe(1)
    expect(err).toContain("the pooler of DATABASE_URL does not keep search_path")
  })

  it("nothing asks a session to keep anything", () => {
    expect(pooler.violations).toEqual([])
  })
})
