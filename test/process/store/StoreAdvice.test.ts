import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, it } from "vitest"
import { adviceOnRole, adviceOnServer } from "../../../src/cli/server/StoreAdvice.ts"
import { neutralEnvironment, runCommand } from "../../contract/Server.ts"
import { type ExternalPostgres, startExternal } from "./Postgres.ts"
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

it("doctor has no advice for a server and a role that are tuned", () => {
  expect([...adviceOnServer(tuned), ...adviceOnRole(tuned)]).toEqual([])
})

it("doctor finds a pooler, what is not set for it, and stays healthy", async () => {
  const direct = await postgres.newDatabase()
  const pooler = await transactionPooler(direct, 3)
  const url = new URL(direct)
  url.searchParams.set("host", "127.0.0.1")
  url.searchParams.set("port", String(pooler.port))
  const env = {
    ...neutralEnvironment(),
    DATABASE_URL: url.href,
    PEYK_SECRET: randomBytes(32).toString("base64")
  }
  await runCommand(env, ["migrate"])
  const { code, out } = await runCommand(env, ["doctor", "--json"])
  await pooler.close()
  const { checks } = JSON.parse(out) as {
    readonly checks: ReadonlyArray<{ readonly check: string; readonly finding: string }>
  }
  const finding = checks.find(({ check }) => check === "connections")?.finding
  expect(finding).toContain("through a pooler")
  expect(finding).toContain("PEYK_DATABASE_LISTEN_URL")
  expect(finding).toContain("statement_timeout")
  expect(code).toBe(0)
})
