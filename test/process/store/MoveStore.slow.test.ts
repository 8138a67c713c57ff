import { execFile, spawn } from "node:child_process"
import { copyFile, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { messages, newKey, newPhone, ok, otp, type Sent } from "../../contract/Client.ts"
import { codeOf, newAccount, newCustomer, simulated, type Customer } from "../../contract/Operator.ts"
import {
  type Finished,
  makeDataDir,
  neutralEnvironment,
  runCommand,
  type Running,
  startProcess,
  startServer,
  until
} from "../../contract/Server.ts"
import { programFile } from "../../support/Programs.ts"
import { linesOf, writeLines } from "./BackupLines.ts"
import { startOwnPostgres } from "./OwnPostgres.ts"
import { discard } from "./Postgres.ts"

type Environment = Readonly<Record<string, string>>

const folders: Array<string> = []
const newFolder = async () => {
  const folder = await makeDataDir()
  folders.push(folder)
  return folder
}

const peyk = (env: Environment, ...args: ReadonlyArray<string>) =>
  runCommand({ ...neutralEnvironment(), ...env }, args)

/** It ended with exit code 1 and one sentence that says why, without a secret. */
const refusedWith = ({ code, out, err }: Finished, why: RegExp) => {
  expect(err).toMatch(why)
  expect(err).not.toMatch(/never-printed/)
  expect({ code, out }).toEqual({ code: 1, out: "" })
}

/** The rows of each table, in an order of their own, and the sequences: without when they were read. */
const contentOf = async (file: string) => {
  const tables = new Map<string, Array<string>>()
  let rows: Array<string> = []
  for (const line of (await linesOf(file)).slice(1)) {
    if (!line.startsWith("[")) tables.set(line, (rows = []))
    else rows.push(line)
  }
  return new Map([...tables].map(([table, found]) => [table, found.toSorted()]))
}

let own: Awaited<ReturnType<typeof startOwnPostgres>>
/** The data directory of the first machine, and its backup, made after its server was stopped. */
let first: string
let file: string
let secret: string
let customer: Customer
/** A code that was sent and is not verified yet, the message that waits for its time, and the key of a send. */
let pending: { readonly id: string; readonly code: string }
let delayed: { readonly id: string; readonly phone: string }
let repeated: { readonly key: string; readonly body: object; readonly answer: Sent }
let wallet: unknown
let refusedWhileRunning: Finished

const setUp = async (server: Running) => {
  customer = await newCustomer(server, "start")
  await newAccount(server, customer.id, "sms", { label: "Sealed", settings: { latency_ms: 1 } })
  await newAccount(server, customer.id, "bale")
  await server.cli("wallet", "top-up", "--customer", customer.id, "--amount", "1000000")
  await server.cli("routing", "set", "--customer", customer.id, "--steps", '[{"channel":"sms"}]')
}

const use = async (server: Running) => {
  const api = otp(server, customer.live)
  const phone = newPhone()
  const { verification_id: id } = await api.sent({ phone, channels: ["bale", "sms"] })
  pending = { id, code: await codeOf(server, phone) }
  const body = { phone: newPhone(), channels: "sms" }
  const key = newKey()
  repeated = { key, body, answer: ok<Sent>(await api.postSend(body, { "idempotency-key": key })) }
  await messages(server, customer.live).delivered()
  const to = newPhone()
  const { message_id } = await messages(server, customer.live).created({ to, delay: "10s" })
  delayed = { id: message_id, phone: to }
}

const walletOf = (server: Running) => server.cli("wallet", "show", "--customer", customer.id)

beforeAll(async () => {
  own = await startOwnPostgres()
  const server = await startServer()
  first = server.dataDir
  folders.push(first)
  await setUp(server)
  await use(server)
  file = join(await newFolder(), "move.backup")
  refusedWhileRunning = await server.run("backup", "--final", file)
  wallet = await walletOf(server)
  await server.terminate()
  const made = await peyk({ PEYK_DATA_DIR: first }, "backup", "--final", file)
  expect(made).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^Do not start Peyk on this store again/)
  })
  secret = (await readFile(join(first, "secret"), "utf8")).trim()
}, 120_000)

afterAll(async () => {
  for (const folder of folders) await discard(folder)
  await own?.discard()
})

const settingsFor = (url: string): Environment => ({
  DATABASE_URL: url,
  PEYK_SECRET: secret,
  PEYK_SIMULATOR: "true"
})

describe("a store that moves from the first machine to one's own PostgreSQL, and back", () => {
  let url: string
  let back: string

  it("is not read while a server runs on it, and leaves no file then", async () => {
    refusedWith(refusedWhileRunning, /Peyk runs on this store, with \d+ connections: stop every server/)
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe("600")
    expect(await readdir(join(file, ".."))).toEqual(["move.backup"])
  })

  it("is equal there, row by row, though the role is no superuser", async () => {
    url = await own.newDatabase()
    const restored = await peyk(settingsFor(url), "restore", file, "--json")
    expect(restored).toMatchObject({ code: 0, err: "" })
    expect(JSON.parse(restored.out)).toMatchObject({ final: true, master_secret: "opens this store" })
    const copy = join(await newFolder(), "copy.backup")
    expect((await peyk(settingsFor(url), "backup", "--final", copy)).code).toBe(0)
    expect(await contentOf(copy)).toEqual(await contentOf(file))
    const alike = "select count(*)::int as answer from pg_trigger where tgenabled <> 'O'"
    expect(await own.ask(url, alike)).toBe(0)
    const keys = "select count(*)::int as answer from pg_constraint where contype = 'f' and convalidated"
    expect(await own.ask(url, keys)).toBeGreaterThan(20)
  })

  it("goes on there: keys, codes, replays, waiting messages, sealed accounts, money, new ids", async () => {
    const server = await startProcess({ env: settingsFor(url) })
    folders.push(server.dataDir)
    try {
      const api = otp(server, customer.live)
      expect(await walletOf(server)).toEqual(wallet)
      expect((await api.status(pending.id)).status).toBe("queued")
      expect(await api.outcome(pending.id, pending.code)).toMatchObject({ verified: true })
      const replay = await api.postSend(repeated.body, { "idempotency-key": repeated.key })
      expect(replay.headers.get("idempotency-replayed")).toBe("true")
      expect(ok<Sent>(replay)).toEqual(repeated.answer)
      expect((await messages(server, customer.live).completed(delayed.id, 20_000)).status).toBe("sent")
      expect(await simulated(server, delayed.phone)).toHaveLength(1)
      expect((await api.sent({ channels: "sms" })).status).toBe("queued")
      const next = await newCustomer(server)
      expect(Number(next.id)).toBeGreaterThan(Number(customer.id))
      expect(await server.cli("doctor")).toMatchObject({ healthy: true })
      refusedWith(await server.run("restore", "--replace", file), /Peyk runs on this store/)
      refusedWith(await server.run("backup", "--final", `${file}.2`), /Peyk runs on this store/)
    } finally {
      await server.terminate()
    }
  }, 60_000)

  it("moves back to an embedded store, with what happened since", async () => {
    back = join(await newFolder(), "back.backup")
    expect((await peyk(settingsFor(url), "backup", "--final", back)).code).toBe(0)
    const dataDir = await newFolder()
    await copyFile(join(first, "secret"), join(dataDir, "secret"))
    const restored = await peyk({ PEYK_DATA_DIR: dataDir }, "restore", back)
    expect(restored).toMatchObject({ code: 0, err: "" })
    const server = await startProcess({ dataDir })
    try {
      const api = otp(server, customer.live)
      expect((await api.status(pending.id)).status).toBe("verified")
      expect((await messages(server, customer.live).status(delayed.id)).status).toBe("sent")
      expect((await api.sent({ channels: "sms" })).status).toBe("queued")
      expect(await server.cli("doctor")).toMatchObject({ healthy: true })
    } finally {
      await server.terminate()
    }
  }, 60_000)
})

/** The blocks of commands under a heading of a page, in their order. */
const commandsUnder = async (page: string, heading: string) => {
  const text = await readFile(fileURLToPath(new URL(`../../../docs/${page}`, import.meta.url)), "utf8")
  const section = text.split(`## ${heading}\n`)[1]?.split(/\n##+ /)[0] ?? ""
  const blocks = [...section.matchAll(/```(\w*)\n([^]*?)```/g)]
  return blocks.flatMap(([, language, block = ""]) => (language === "" ? [block] : []))
}

describe("the commands of the documentation", () => {
  it.each([
    ["operations.md", "From the first machine to your own PostgreSQL"],
    ["fa/operations.md", "از اولین سرور تا PostgreSQL خودتان"]
  ])(
    "move the store: %s",
    async (page, heading) => {
      const blocks = await commandsUnder(page, heading)
      expect(blocks).toHaveLength(2)
      const folder = await newFolder()
      const places: ReadonlyArray<readonly [from: string, to: string]> = [
        ["/var/lib/peyk/data", first],
        ["/backups", folder],
        ["npx peyk", `"${process.execPath}" "${programFile("peyk")}"`],
        ["postgres://peyk:PASSWORD@db.example.com/peyk", `'${await own.newDatabase()}'`],
        ["systemctl disable --now peyk", "export PEYK_SIMULATOR=true"]
      ]
      const script = places.reduce((text, [from, to]) => {
        expect(text).toContain(from)
        return text.replaceAll(from, () => to)
      }, blocks.join(""))
      const { stdout } = await promisify(execFile)("bash", ["-ec", script], { env: neutralEnvironment() })
      expect(stdout).toMatch(/master_secret +opens this store/)
      expect(stdout).toMatch(/✓ store +PostgreSQL 1\d/)
    },
    60_000
  )
})

describe("peyk restore into DATABASE_URL", () => {
  it("refuses a database that has a store, and replaces it if that is asked for", async () => {
    const url = await own.newDatabase()
    expect((await peyk({ DATABASE_URL: url }, "migrate")).code).toBe(1)
    expect((await peyk(settingsFor(url), "migrate")).code).toBe(0)
    await own.ask(url, "insert into customers (name, plan, created_at) values ('old', 'free', now())")
    refusedWith(
      await peyk(settingsFor(url), "restore", file),
      /there is a store in the database own_\d+ already/
    )
    const names = "select string_agg(name, ',') filter (where name = 'old') as answer from customers"
    expect(await own.ask(url, names)).toBe("old")
    expect((await peyk(settingsFor(url), "restore", "--replace", file)).code).toBe(0)
    expect(await own.ask(url, names)).toBe(null)
  })

  it("refuses a database of another program, also with --replace, and touches nothing of it", async () => {
    const url = await own.newDatabase()
    await own.ask(url, "create table customers (theirs text)")
    for (const flags of [[], ["--replace"]]) {
      refusedWith(
        await peyk(settingsFor(url), "restore", ...flags, file),
        /not empty: it has the table “customers” of another program/
      )
    }
    expect(await own.ask(url, "select count(*)::int as answer from customers")).toBe(0)
  })

  it("does not back up or delete the tables of another program that share the database", async () => {
    const url = await own.newDatabase()
    expect((await peyk(settingsFor(url), "restore", file)).code).toBe(0)
    await own.ask(url, "create table theirs as select 'kept' as answer")
    const copy = join(await newFolder(), "copy.backup")
    expect((await peyk(settingsFor(url), "backup", copy)).code).toBe(0)
    expect((await linesOf(copy)).filter((line) => line.includes("theirs"))).toEqual([])
    expect((await peyk(settingsFor(url), "restore", "--replace", copy)).code).toBe(0)
    expect(await own.ask(url, "select answer from theirs")).toBe("kept")
  })

  it("refuses a file that was changed, cut off or made by another version, and creates nothing", async () => {
    const url = await own.newDatabase()
    const folder = await newFolder()
    const lines = await linesOf(file)
    const checksum = '{"sha256":"0000"}'
    const whole = await readFile(file)
    const forge = async (name: string, from: RegExp | string, to: string) => {
      const [header = "", ...others] = lines
      expect(header.replace(from, to)).not.toBe(header)
      await writeLines(join(folder, name), [header.replace(from, to), ...others])
      return readFile(join(folder, name))
    }
    const cases: ReadonlyArray<readonly [string, Buffer, RegExp]> = [
      ["changed", gzipSync([...lines, checksum, ""].join("\n")), /it was changed after it was made/],
      ["unsigned", gzipSync([...lines, ""].join("\n")), /not whole: its checksum is missing/],
      ["cut", whole.subarray(0, whole.length - 30), /is damaged/],
      ["newer", await forge("newer", /"migration":\d+/, '"migration":9999'), /made by a newer version/],
      ["older", await forge("older", "peyk-backup-3", "peyk-backup-2"), /made by a development version/]
    ]
    for (const [name, bytes, why] of cases) {
      const broken = join(folder, name)
      await writeFile(broken, bytes)
      refusedWith(await peyk(settingsFor(url), "restore", broken), why)
    }
    expect(
      await own.ask(url, "select count(*)::int as answer from pg_tables where schemaname = 'public'")
    ).toBe(0)
  })

  it("refuses another master secret, and names no part of the URL's password where it cannot connect", async () => {
    const url = await own.newDatabase()
    const PEYK_SECRET = Buffer.alloc(32, 7).toString("base64")
    refusedWith(await peyk({ ...settingsFor(url), PEYK_SECRET }, "restore", file), /another master secret/)
    const nowhere = "postgres://owner:never-printed@127.0.0.1:1/peyk"
    refusedWith(await peyk(settingsFor(nowhere), "restore", file), /could not be restored.*ECONNREFUSED/)
    refusedWith(await peyk(settingsFor(nowhere), "backup", `${file}.3`), /ECONNREFUSED/)
  })

  it("warns of a backup that was made while servers could run", async () => {
    const [from, to] = [await own.newDatabase(), await own.newDatabase()]
    expect((await peyk(settingsFor(from), "restore", file)).code).toBe(0)
    const copy = join(await newFolder(), "running.backup")
    expect(await peyk(settingsFor(from), "backup", copy)).toMatchObject({ code: 0, err: "" })
    const { code, err } = await peyk(settingsFor(to), "restore", copy)
    expect(code).toBe(0)
    expect(err).toMatch(/^warning: Peyk could write to its store while this backup was made/)
  })
})

describe("a restore that is killed in the middle", () => {
  const ROWS = 40_000

  it("leaves an empty database, or the old store where it replaced one, and then succeeds", async () => {
    const url = await own.newDatabase()
    const source = await own.newDatabase()
    expect((await peyk(settingsFor(source), "restore", file)).code).toBe(0)
    await own.ask(
      source,
      `insert into ledger select 1, gen_random_uuid(), 'capture', 0, null, now() from generate_series(1, ${ROWS})`
    )
    const large = join(await newFolder(), "large.backup")
    expect((await peyk(settingsFor(source), "backup", "--final", large)).code).toBe(0)

    const killInside = async (...flags: ReadonlyArray<string>) => {
      const env = { ...neutralEnvironment(), ...settingsFor(url) }
      const child = spawn(process.execPath, [programFile("peyk"), "restore", ...flags, large], { env })
      await until("the rows of the ledger to be loaded", async () => {
        const inside = await own.ask(
          url,
          `select count(*)::int as answer from pg_stat_activity
           where datname = current_database() and application_name = 'peyk backup' and query like 'insert into "ledger"%'`
        )
        return inside === 1 ? true : undefined
      })
      expect(child.kill("SIGKILL")).toBe(true)
      await until("its connection to end", async () => {
        const left =
          "select count(*)::int as answer from pg_stat_activity where application_name = 'peyk backup'"
        return (await own.ask(url, left)) === 0 ? true : undefined
      })
    }
    const tables = "select count(*)::int as answer from pg_tables where schemaname = 'public'"
    const rows = "select count(*)::int as answer from ledger"

    await killInside()
    expect(await own.ask(url, tables)).toBe(0)
    expect((await peyk(settingsFor(url), "restore", file)).code).toBe(0)
    const old = await own.ask(url, rows)
    await killInside("--replace")
    expect(await own.ask(url, rows)).toBe(old)
    expect((await peyk(settingsFor(url), "restore", "--replace", large)).code).toBe(0)
    expect(await own.ask(url, rows)).toBe(Number(old) + ROWS)
  }, 90_000)
})
