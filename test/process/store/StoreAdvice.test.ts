import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, it } from "vitest"
import { adviceOnConnections, adviceOnRole, adviceOnServer } from "../../../src/cli/server/StoreAdvice.ts"
import { neutralEnvironment, runCommand, runProgram, startProcess, until } from "../../contract/Server.ts"
import { answerOf, type ExternalPostgres, startExternal } from "./Postgres.ts"
import { transactionPooler } from "./TransactionPooler.ts"

let postgres: ExternalPostgres
beforeAll(async () => {
  postgres = await startExternal()
})
afterAll(() => postgres?.discard())

const tuned = {
  buffersBytes: 2 ** 30,
  walBytes: 2 ** 32,
  checkpointSeconds: 900,
  compression: "lz4",
  hasLz4: true,
  commit: "on",
  statementTimeout: "10s",
  seqscan: "off"
}

it.each([
  ["shared_buffers", { buffersBytes: 2 ** 27 }],
  ["max_wal_size", { walBytes: 2 ** 30 }],
  ["checkpoint_timeout", { checkpointSeconds: 300 }],
  ["wal_compression", { compression: "off" }],
  ["synchronous_commit", { commit: "off" }]
])("doctor advises on %s alone if only that is as PostgreSQL comes, or unsafe", (setting, values) => {
  expect(adviceOnServer({ ...tuned, ...values })).toEqual([expect.stringContaining(setting)])
})

it.each(["off", "pglz"])(
  "doctor advises lz4 instead of %s only where PostgreSQL was built with it",
  (compression) => {
    expect(adviceOnServer({ ...tuned, compression })).toEqual(["set wal_compression = lz4"])
    expect(adviceOnServer({ ...tuned, compression, hasLz4: false })).toEqual([])
  }
)

it("doctor has no advice for a server and a role that are tuned", () => {
  expect([...adviceOnServer(tuned), ...adviceOnRole(tuned)]).toEqual([])
})

const room = { most: 100, reserved: 3, listening: 2 }

it("doctor has no advice on connections while those of all processes fit next to the reserved ones", () => {
  expect(adviceOnConnections(room, { processes: 1, perProcess: 48 })).toEqual([])
})

it("doctor says how many connections the running processes can open, and what max_connections holds them", () => {
  expect(adviceOnConnections(room, { processes: 1, perProcess: 49 })).toEqual([
    "raise max_connections from 100 to 101 or more, or lower PEYK_DATABASE_POOL: 2 processes can open 98 connections"
  ])
})

it("doctor counts the processes that are to run, if fewer run", () => {
  const [advice] = adviceOnConnections(room, { processes: 5, perProcess: 21 })
  expect(advice).toContain("5 processes can open 105 connections")
})

/** What doctor says about connections, and its exit code. */
const doctorOnConnections = async (env: Readonly<Record<string, string>>) => {
  const { code, out } = await runCommand(env, ["doctor", "--json"])
  const { checks } = JSON.parse(out) as {
    readonly checks: ReadonlyArray<{ readonly check: string; readonly finding: string }>
  }
  return { code, finding: checks.find(({ check }) => check === "connections")?.finding }
}

const withStore = (url: string) => ({
  ...neutralEnvironment(),
  DATABASE_URL: url,
  PEYK_SECRET: randomBytes(32).toString("base64")
})

it("doctor counts the server processes that PostgreSQL sees, and stays healthy", async () => {
  const env = withStore(await postgres.newDatabase())
  const server = await startProcess({ env: { ...env, PEYK_PROCESSES: "2", PEYK_DATABASE_POOL: "2" } })
  const listeners = "select count(*)::int as answer from pg_stat_activity where query ilike 'listen %'"
  try {
    await until(
      "both processes to listen",
      async () => ((await answerOf(env.DATABASE_URL, listeners)) === 2 ? true : undefined),
      30_000
    )
    const { code, finding } = await doctorOnConnections({ ...env, PEYK_DATABASE_POOL: "40" })
    expect(finding).toContain("raise max_connections from 100 to 105")
    expect(finding).toContain("2 processes can open 102 connections")
    expect(code).toBe(0)
  } finally {
    await server.stop()
  }
}, 60_000)

it("doctor finds a pooler, what is not set for it, and stays healthy", async () => {
  const direct = await postgres.newDatabase()
  const pooler = await transactionPooler(direct, 3)
  const url = new URL(direct)
  url.searchParams.set("host", "127.0.0.1")
  url.searchParams.set("port", String(pooler.port))
  const env = withStore(url.href)
  await runCommand(env, ["migrate"])
  const { code, finding } = await doctorOnConnections(env)
  await pooler.close()
  expect(finding).toContain("through a pooler")
  expect(finding).toContain("PEYK_DATABASE_LISTEN_URL")
  expect(finding).toContain("statement_timeout")
  expect(code).toBe(0)
})

it("doctor names the tables that the role of DATABASE_URL may not use, and what to grant", async () => {
  const url = await postgres.newDatabase()
  const env = withStore(url)
  await runCommand(env, ["migrate"])
  const role = `reader_${randomBytes(4).toString("hex")}`
  await answerOf(url, `create role ${role} login password 'reader'`)
  await answerOf(url, `grant select on all tables in schema public to ${role}`)
  await answerOf(url, `grant insert, update, delete on all tables in schema public to ${role}`)
  await answerOf(url, `revoke delete on timers from ${role}`)
  const theirs = new URL(url)
  theirs.searchParams.set("user", role)
  theirs.searchParams.set("password", "reader")
  const { code, out } = await runCommand({ ...env, DATABASE_URL: theirs.href }, ["doctor", "--json"])
  expect(JSON.parse(out)).toMatchObject({
    checks: expect.arrayContaining([
      {
        check: "privileges",
        ok: false,
        finding: expect.stringMatching(
          new RegExp(`^${role} may not read and write timers; grant select, insert`)
        )
      }
    ])
  })
  expect(code).toBe(1)
})

it("serve does not take a store of cells for one without, if its role may not read the list of cells", async () => {
  const url = await postgres.newDatabase()
  const env = withStore(url)
  await runCommand(env, ["migrate"])
  const role = `blind_${randomBytes(4).toString("hex")}`
  await answerOf(url, `create role ${role} login password 'blind'`)
  await answerOf(url, `grant select, insert, update, delete on all tables in schema public to ${role}`)
  await answerOf(url, `revoke all on cells from ${role}`)
  const theirs = new URL(url)
  theirs.searchParams.set("user", role)
  theirs.searchParams.set("password", "blind")
  const { code, out, err } = await runProgram({ ...env, DATABASE_URL: theirs.href }, ["serve"])
  expect(err).toContain("this role may not read the table cells, which says where customers' rows are")
  expect(code).toBe(1)
  expect(out).toBe("")
})

it("doctor names them also if that role may use no table, and serve leads to doctor", async () => {
  const url = await postgres.newDatabase()
  const env = withStore(url)
  await runCommand(env, ["migrate"])
  const role = `stranger_${randomBytes(4).toString("hex")}`
  await answerOf(url, `create role ${role} login password 'stranger'`)
  const theirs = new URL(url)
  theirs.searchParams.set("user", role)
  theirs.searchParams.set("password", "stranger")
  const asStranger = { ...env, DATABASE_URL: theirs.href }
  const { out } = await runCommand(asStranger, ["doctor", "--json"])
  const { checks } = JSON.parse(out) as { readonly checks: ReadonlyArray<{ readonly ok: boolean }> }
  expect(checks.filter(({ ok }) => !ok)).toEqual([
    {
      check: "privileges",
      ok: false,
      finding: expect.stringMatching(new RegExp(`^${role} may not read and write .* more; grant select`))
    }
  ])
  const { code, err } = await runProgram(asStranger, ["serve"])
  expect(err).toMatch(/permission denied for table peyk_migrations.*peyk doctor/)
  expect(code).toBe(1)
}, 60_000)
