/** What development versions left behind: nothing opens it, and one sentence says what to do. */
import { readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../bench/FreePort.ts"
import { type Finished, makeDataDir, neutralEnvironment, runProgram } from "../../contract/Server.ts"
import { answerOf, discard, type ExternalPostgres, makeEmbedded, startExternal } from "./Postgres.ts"

const UUID = "01a2086a-62d7-76a2-956f-99d841041c58"
const SECRET = Buffer.alloc(32, 7).toString("base64")

const COMMANDS = [
  ["serve"],
  ["migrate"],
  ["demo"],
  ["customer", "list"],
  ["key", "create", "--customer", "1", "--mode", "live"],
  ["signing-key", "rotate"],
  ["verification", "show", "--customer", "1", "--verification", UUID]
].map((command) => ({ name: command.slice(0, 2).join(" "), command }))

/** What decides: the first migrations of development versions had other names. */
const DEVELOPMENT_STORE = [
  `create table peyk_migrations
    (migration_id integer primary key, created_at timestamptz not null default now(), name text not null)`,
  "insert into peyk_migrations (migration_id, name) values (1, 'verification'), (2, 'messaging'), (41, 'account_failures')",
  "create table installation (only_row boolean primary key default true, secret_check bytea not null)"
]
const TABLES = "select count(*)::int as answer from pg_stat_user_tables"

const OTHER_MIGRATIONS =
  /^this store was made by another version of Peyk, which had a migration 1 “verification”: run that version, or set PEYK_DATA_DIR or DATABASE_URL to where there is no store$/
const NO_PASSWORD =
  /^[^\n]* lacks its password[^\n]*a database of a development version of Peyk has none[^\n]*Set PEYK_DATA_DIR to another directory[^\n]*$/

const folders: Array<string> = []
const newFolder = async () => {
  const folder = await makeDataDir()
  folders.push(folder)
  return folder
}
let postgres: ExternalPostgres
beforeAll(async () => {
  postgres = await startExternal()
})
afterAll(async () => {
  for (const folder of folders) await discard(folder)
  await postgres?.discard()
})

const run = async (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  runProgram({ ...neutralEnvironment(), PEYK_PORT: String(await freePort()), ...env }, args)

const refusedWith = ({ code, out, err }: Finished, why: RegExp) => {
  const [, sentence] = /^\nERROR\n {2}(.*)\n$/.exec(err) ?? []
  expect(sentence ?? err).toMatch(why)
  expect({ code, out }).toEqual({ code: 1, out: "" })
}

const problemIn = async (env: Readonly<Record<string, string>>) => {
  const { code, out } = await run(env, "doctor", "--json")
  const { checks } = JSON.parse(out) as { readonly checks: ReadonlyArray<{ ok: boolean; finding: string }> }
  const [problem, ...others] = checks.filter(({ ok }) => !ok)
  expect({ code, others }).toEqual({ code: 1, others: [] })
  return problem?.finding
}

describe("a database of a development version", () => {
  let env: Readonly<Record<string, string>>
  let url: string
  beforeAll(async () => {
    url = await postgres.newDatabase()
    for (const statement of DEVELOPMENT_STORE) await answerOf(url, statement)
    env = { DATABASE_URL: url, PEYK_SECRET: SECRET, PEYK_DATA_DIR: await newFolder() }
  })

  it.each(COMMANDS)("is refused by peyk $name", async ({ command }) => {
    refusedWith(await run(env, ...command), OTHER_MIGRATIONS)
    expect(await answerOf(url, TABLES)).toBe(2)
  })

  it("is what peyk doctor finds", async () => {
    expect(await problemIn(env)).toMatch(OTHER_MIGRATIONS)
  })
})

describe("a data directory of a development version", () => {
  let env: Readonly<Record<string, string>>
  let dataDir: string
  beforeAll(async () => {
    dataDir = await newFolder()
    await makeEmbedded(dataDir, DEVELOPMENT_STORE)
    env = { PEYK_DATA_DIR: dataDir }
  })
  const commands = [...COMMANDS, { name: "backup", command: ["backup", "/tmp/peyk-never-written.backup"] }]

  it.each(commands)("is refused by peyk $name", async ({ command }) => {
    refusedWith(await run(env, ...command), OTHER_MIGRATIONS)
  })

  it("is what peyk doctor finds", async () => {
    expect(await problemIn(env)).toMatch(OTHER_MIGRATIONS)
  })

  it("without a password is refused by every command, and left as it is", async () => {
    const directory = join(dataDir, "postgres")
    const file = join(directory, "peyk.password")
    const password = await readFile(file)
    await rm(file)
    const rules = await readFile(join(directory, "pg_hba.conf"))
    await writeFile(join(directory, "pg_hba.conf"), "local all all trust\n")
    for (const { command } of commands) refusedWith(await run(env, ...command), NO_PASSWORD)
    expect(await problemIn(env)).toMatch(NO_PASSWORD)
    expect(await readdir(directory)).not.toContain("peyk.password")
    await writeFile(join(directory, "pg_hba.conf"), rules)
    await writeFile(file, password, { mode: 0o600 })
  })
})

describe("a backup of a development version", () => {
  it("is refused by peyk restore, and nothing is made", async () => {
    const dataDir = await newFolder()
    const file = join(await newFolder(), "development.backup")
    const header = {
      format: "peyk-backup-1",
      migration: 41,
      made_at: "2026-11-26T00:00:00.000Z",
      secret_check: null
    }
    const lines = [header, { table: "customers", columns: ["id"] }, { sequences: {}, rows: { customers: 0 } }]
    await writeFile(file, gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join("")))
    refusedWith(
      await run({ PEYK_DATA_DIR: dataDir }, "restore", file),
      /^the backup was made by a development version of Peyk: restore it with that version$/
    )
    expect(await readdir(dataDir)).toEqual([])
  })
})
