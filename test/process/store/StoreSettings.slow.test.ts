import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ok, request } from "../../contract/Client.ts"
import { customerWith, sentCode } from "../../contract/Operator.ts"
import { neutralEnvironment, runCommand, runProgram, startProcess } from "../../contract/Server.ts"
import { answerOf, type ExternalPostgres, startExternal } from "./Postgres.ts"
import { transactionPooler } from "./TransactionPooler.ts"

let postgres: ExternalPostgres
beforeAll(async () => {
  postgres = await startExternal()
})
afterAll(() => postgres?.discard())

const environment = (DATABASE_URL: string) => ({
  ...neutralEnvironment(),
  DATABASE_URL,
  PEYK_SECRET: randomBytes(32).toString("base64"),
  PEYK_SIMULATOR: "true",
  PEYK_FREE_MONTHLY_QUOTA: "0"
})

const databaseOf = (url: string, name: string) => {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

const findingOf = (out: string, check: string) =>
  (JSON.parse(out) as { readonly checks: ReadonlyArray<{ readonly check: string }> }).checks.find(
    (each) => each.check === check
  )

describe.each(["LATIN1", "SQL_ASCII"])("a database with the encoding %s", (encoding) => {
  it("is refused by migrate, serve and doctor, which name the encoding and what to run", async () => {
    const url = await postgres.newDatabase()
    const name = `in_${encoding.toLowerCase()}`
    await answerOf(
      url,
      `create database ${name} encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`
    )
    const env = environment(databaseOf(url, name))
    const sentence = new RegExp(
      `encoding ${encoding}, and Peyk needs UTF8.*encoding 'UTF8' template template0`
    )
    for (const command of ["migrate", "serve"]) {
      const { code, err } = await runProgram(env, [command])
      expect(err).toMatch(sentence)
      expect(code).toBe(1)
    }
    expect(
      await answerOf(databaseOf(url, name), "select to_regclass('peyk_migrations') as answer")
    ).toBeNull()
    const { code, out } = await runCommand(env, ["doctor", "--json"])
    expect(findingOf(out, "database")).toMatchObject({ ok: false, finding: expect.stringMatching(sentence) })
    expect(code).toBe(1)
  }, 90_000)
})

const UNSUITABLE = [
  "standard_conforming_strings = off",
  "bytea_output = escape",
  "datestyle = 'German'",
  "intervalstyle = iso_8601",
  "timezone = 'Asia/Tehran'",
  "extra_float_digits = -5",
  "default_transaction_isolation = serializable"
]

/** A database whose sessions begin with settings that do not suit. */
const unsuitable = async () => {
  const url = await postgres.newDatabase()
  const name = new URL(url).pathname.slice(1)
  for (const setting of UNSUITABLE) await answerOf(url, `alter database ${name} set ${setting}`)
  return url
}

describe("a database whose settings do not suit", () => {
  it("works directly: each session sets what it relies on", async () => {
    const server = await startProcess({ env: environment(await unsuitable()) })
    try {
      const customer = await customerWith(server, { sms: {} })
      await sentCode(server, customer.live, { channels: "sms", metadata: { order: "a\\'b" } })
      const query = new URLSearchParams({ "metadata[order]": "a\\'b" })
      const headers = { "x-api-key": customer.live }
      const found = ok<{ readonly data: ReadonlyArray<unknown> }>(
        await request(server, "GET", `/v1/otp?${query}`, { headers })
      )
      expect(found.data).toHaveLength(1)
      for (const path of ["/v1/otp", "/v1/messages", "/v1/account"])
        ok(await request(server, "GET", path, { headers }))
    } finally {
      await server.stop()
    }
  }, 60_000)

  it("is refused through a pooler, by start and doctor, which name the statements to run", async () => {
    const url = await unsuitable()
    const pooler = await transactionPooler(url, 3)
    const through = new URL(url)
    through.searchParams.set("host", "127.0.0.1")
    through.searchParams.set("port", String(pooler.port))
    const env = environment(through.href)
    const { code, err } = await runProgram(env, ["serve"])
    const { out } = await runCommand(env, ["doctor", "--json"])
    await pooler.close()
    expect(code).toBe(1)
    expect(err).toContain(`alter role "postgres" set standard_conforming_strings = 'on';`)
    expect(err).toContain(`alter role "postgres" set default_transaction_isolation = 'read committed';`)
    expect(findingOf(out, "database")).toMatchObject({
      ok: false,
      finding: expect.stringContaining(`alter role "postgres" set bytea_output = 'hex';`)
    })
    expect(pooler.violations).toEqual([])
  }, 60_000)
})
