import { randomBytes } from "node:crypto"
import { readdir } from "node:fs/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../bench/FreePort.ts"
import { newKey, newPhone, ok, otp, refused, type Reply, request, type Sent } from "../../contract/Client.ts"
import {
  codeOf,
  type Customer,
  customerWith,
  newSecret,
  sentCode,
  simulated
} from "../../contract/Operator.ts"
import {
  type Finished,
  makeDataDir,
  neutralEnvironment,
  type Running,
  runCommand,
  runProgram,
  startProcess,
  until
} from "../../contract/Server.ts"
import { answerOf, discard, type ExternalPostgres, startExternal } from "./Postgres.ts"

const secret = randomBytes(32).toString("base64")

let postgres: ExternalPostgres
let unused: string
beforeAll(async () => {
  unused = await makeDataDir()
  postgres = await startExternal()
})
afterAll(async () => {
  await discard(unused)
  await postgres?.discard()
})

/** Runs a command with nothing set but this, and a data directory that it should not need. */
const run = async (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const own = { PEYK_DATA_DIR: unused, PEYK_PORT: String(await freePort()) }
  // a server that should not start, and does, has to end with its test
  return (args[0] === "serve" ? runProgram : runCommand)({ ...neutralEnvironment(), ...own, ...env }, args)
}

/** It ended with exit code 1 and says why, without what is of use to nobody but us. */
const explained = ({ code, out, err }: Finished, why: RegExp) => {
  expect(err).toMatch(why)
  expect(code).toBe(1)
  expect(out).toBe("")
  expect(err).not.toMatch(/^\s+at /m)
}

describe("peyk migrate", () => {
  it("may run in four processes at once on an empty database: all succeed", async () => {
    const url = await postgres.newDatabase()
    const env = { DATABASE_URL: url, PEYK_SECRET: secret }
    const all = { ...neutralEnvironment(), PEYK_DATA_DIR: unused, ...env }
    const runs = await Promise.all(Array.from({ length: 4 }, () => runProgram(all, ["migrate"])))
    expect(runs.map(({ code, err }) => ({ code, err }))).toEqual(runs.map(() => ({ code: 0, err: "" })))
    const { out } = await run(env, "doctor", "--json")
    expect(JSON.parse(out)).toMatchObject({ healthy: true })
  }, 60_000)

  it("--citus says what it needs", async () => {
    const env = { DATABASE_URL: await postgres.newDatabase(), PEYK_SECRET: secret }
    await run(env, "migrate")
    explained(await run(env, "migrate", "--citus"), /run `create extension citus` in it first/)
  })

  it("makes no demo customer, and leaves the data directory alone", async () => {
    const env = { DATABASE_URL: await postgres.newDatabase(), PEYK_SECRET: secret }
    expect((await run(env, "migrate")).code).toBe(0)
    const { out } = await run(env, "customer", "list", "--json")
    expect(JSON.parse(out)).toEqual({ data: [] })
    expect(await readdir(unused)).toEqual([])
  })
})

describe("on an empty database", () => {
  const commands = [
    ["customer", "list"],
    ["customer", "create", "--name", "A", "--plan", "free"],
    ["signing-key", "rotate"]
  ].map((command) => ({ name: command.slice(0, 2).join(" "), command }))

  const tablesOf = (url: string) => answerOf(url, "select count(*)::int as answer from pg_stat_user_tables")

  it.each(commands)(
    "peyk $name makes no store, and says where it looked and what to do",
    async ({ command }) => {
      const url = await postgres.newDatabase()
      const [database = ""] = /external_\d+/.exec(url) ?? []
      const password = new URL(url).searchParams.get("password") ?? ""
      const finished = await run({ DATABASE_URL: url, PEYK_SECRET: secret }, ...command)
      explained(
        finished,
        new RegExp(`there is no store in the database ${database} at /.*DATABASE_URL.*peyk migrate`)
      )
      expect(finished.err).not.toContain(password)
      expect(await tablesOf(url)).toBe(0)
    }
  )

  it("peyk doctor says what to do, and makes no store", async () => {
    const url = await postgres.newDatabase()
    const { code, out } = await run({ DATABASE_URL: url, PEYK_SECRET: secret }, "doctor", "--json")
    expect(JSON.parse(out)).toMatchObject({
      healthy: false,
      checks: expect.arrayContaining([
        { check: "schema", ok: false, finding: "no store in this database; run peyk migrate" }
      ])
    })
    expect(code).toBe(1)
    expect(await tablesOf(url)).toBe(0)
  })
})

describe("peyk doctor", () => {
  it.each([
    ["an unreachable database", { PEYK_SECRET: secret }, /connect|reach/],
    ["a missing PEYK_SECRET", {}, /PEYK_SECRET/]
  ])("finds %s, also for machines", async (_, env, what) => {
    const url = `postgres://someone:hush-hush@127.0.0.1:${await freePort()}/peyk`
    const { code, out } = await run({ DATABASE_URL: url, ...env }, "doctor", "--json")
    expect(JSON.parse(out)).toMatchObject({ healthy: false })
    expect(out).toMatch(what)
    expect(out).not.toContain("hush-hush")
    expect(code).toBe(1)
  })
})

describe("on a PostgreSQL that refuses writes, as a standby does,", () => {
  const env = { DATABASE_URL: "", PEYK_SECRET: secret }
  beforeAll(async () => {
    env.DATABASE_URL = await postgres.newDatabase()
    await run(env, "migrate")
    const [database = ""] = /external_\d+/.exec(env.DATABASE_URL) ?? []
    await answerOf(env.DATABASE_URL, `alter database ${database} set default_transaction_read_only = on`)
  })

  it("peyk doctor finds only that, and nothing wrong with the master secret", async () => {
    const { code, out } = await run(env, "doctor", "--json")
    const { checks } = JSON.parse(out) as { readonly checks: ReadonlyArray<{ readonly ok: boolean }> }
    expect(checks.filter(({ ok }) => !ok)).toEqual([
      { check: "writes", ok: false, finding: expect.stringMatching(/are refused: .*read-only transaction/) }
    ])
    expect(code).toBe(1)
  })

  it.each([
    ["customer create", ["customer", "create", "--name", "A", "--plan", "free"]],
    ["serve", ["serve"]]
  ])("peyk %s explains why it cannot write", async (_, command) => {
    explained(await run(env, ...command), /PostgreSQL cannot work now: .*read-only transaction/)
  })
})

describe.each(["serve", "migrate"])("peyk %s refuses to start", (command) => {
  it("without PEYK_SECRET, and says how to make one", async () => {
    const env = { DATABASE_URL: await postgres.newDatabase() }
    explained(await run(env, command), /PEYK_SECRET.*openssl rand -base64 32/)
  })

  it.each([31, 64])("with a secret of %s bytes", async (length) => {
    const wrong = randomBytes(length).toString("base64")
    const env = { DATABASE_URL: await postgres.newDatabase(), PEYK_SECRET: wrong }
    const finished = await run(env, command)
    explained(finished, /PEYK_SECRET.*32 bytes.*openssl rand -base64 32/)
    expect(finished.err).not.toContain(wrong)
  })

  it("with another secret than the store was made with", async () => {
    const DATABASE_URL = await postgres.newDatabase()
    expect((await run({ DATABASE_URL, PEYK_SECRET: secret }, "migrate")).code).toBe(0)
    const other = randomBytes(32).toString("base64")
    explained(await run({ DATABASE_URL, PEYK_SECRET: other }, command), /PEYK_SECRET is not the secret/)
  })

  it("when nothing listens where DATABASE_URL points, and keeps the password to itself", async () => {
    const url = `postgres://someone:hush-hush@127.0.0.1:${await freePort()}/peyk`
    const finished = await run({ DATABASE_URL: url, PEYK_SECRET: secret }, command)
    explained(finished, /PostgreSQL cannot be reached.*ECONNREFUSED/)
    expect(finished.err).not.toContain("hush-hush")
  })

  it.each(["nonsense", "mysql://localhost/peyk"])("with %s for a DATABASE_URL", async (url) => {
    explained(await run({ DATABASE_URL: url, PEYK_SECRET: secret }, command), /connection URL.*DATABASE_URL/)
  })

  it("when there is no such database", async () => {
    const url = (await postgres.newDatabase()).replace(/external_\d+/, "no_such_database")
    explained(await run({ DATABASE_URL: url, PEYK_SECRET: secret }, command), /no_such_database/)
  })
})

describe("peyk serve", () => {
  let server: Running
  beforeAll(async () => {
    server = await startProcess({
      env: { DATABASE_URL: await postgres.newDatabase(), PEYK_SECRET: secret }
    })
  })
  afterAll(() => server?.stop())

  it.each(["/simulator", "/simulator/messages"])("has no %s by default", async (path) => {
    refused(await request(server, "GET", path), 404, "not_found")
  })

  it("makes no demo customer, and leaves the data directory alone", async () => {
    expect(await server.cli("customer", "list")).toEqual({ data: [] })
    expect(await readdir(server.dataDir)).toEqual([])
    expect(server.output()).not.toMatch(/demo/i)
  })
})

describe("peyk serve with PEYK_SIMULATOR=true", () => {
  let server: Running
  let customer: Customer
  beforeAll(async () => {
    server = await startProcess({
      env: {
        DATABASE_URL: await postgres.newDatabase(),
        PEYK_SECRET: secret,
        PEYK_SIMULATOR: "true",
        PEYK_LEASE_MS: "1000"
      }
    })
    customer = await customerWith(server, { bale: {}, sms: {} })
  })
  afterAll(() => server?.stop())

  const send = (key = customer.live) => otp(server, key).send({ channels: "sms" })
  const get = (path: string) => request(server, "GET", path)
  const statusOf = async (path: string) => (await get(path)).status

  const unavailable = (reply: Reply) => {
    refused(reply, 503, "service_unavailable")
    expect(reply.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
  }

  const untilReady = (status: 200 | 503) =>
    until(
      `/readyz to be ${status}`,
      async () => ((await statusOf("/readyz")) === status ? true : undefined),
      30_000
    )

  it("has the simulator, and a code that it shows is the right one", async () => {
    expect(await statusOf("/simulator")).toBe(200)
    const { id, code } = await sentCode(server, customer.live)
    expect(await otp(server, customer.live).outcome(id, code)).toEqual({ verified: true, reason: "ok" })
  })

  it("answers 503 while the database is away, stays alive, and recovers with it", async () => {
    const phone = newPhone()
    const api = otp(server, customer.live)
    const { verification_id: id } = await api.sent({ phone, channels: "bale" })
    const code = await codeOf(server, phone)
    const uncached = await newSecret(server, customer.id, "live")

    await postgres.stop()
    await untilReady(503)
    unavailable(await get("/readyz"))
    unavailable(await send())
    unavailable(await send(uncached))
    unavailable(await api.verify(id, code))
    unavailable(await api.read(id))
    unavailable(await otp(server, customer.test, "/v1/sandbox/otp").send({ channels: "sms" }))
    expect(await statusOf("/healthz")).toBe(200)
    refused(await get("/no/such/path"), 404, "not_found")

    await postgres.start()
    await untilReady(200)
    ok(await send())
    ok(await send(uncached))
    expect(await simulated(server, phone)).toHaveLength(1)
    expect(await api.outcome(id, code)).toEqual({ verified: true, reason: "ok" })
  }, 90_000)

  it("does what is due again after the database was away", async () => {
    const failing = await customerWith(server, { bale: { outcome: "rejected" }, sms: {} })
    await postgres.stop()
    await untilReady(503)
    await postgres.start()
    await untilReady(200)
    const api = otp(server, failing.live)
    const { verification_id: id } = await api.sent({ channels: ["bale", "sms"] })
    expect((await api.attempted(id, 2)).attempts).toMatchObject([
      { channel: { provider: "bale" }, status: "failed" },
      { channel: { type: "sms" }, status: "sent" }
    ])
  }, 90_000)

  it("gives up a step whose outcome it could not record, and tries the next channel once", async () => {
    const slow = await customerWith(server, { bale: { latency_ms: 4_000 }, sms: {} })
    const api = otp(server, slow.live)
    const phone = newPhone()
    const idempotencyKey = newKey()
    const body = { phone, channels: ["bale", "sms"] }
    const answer = api.postSend(body, { "idempotency-key": idempotencyKey })
    await until("the call to be under way", async () => (await simulated(server, phone)).at(0))
    await postgres.stop()
    unavailable(await answer)
    await postgres.start()
    await untilReady(200)

    const { verification_id: id } = ok<Sent>(await api.replayed(body, idempotencyKey))
    expect((await api.attempted(id, 2)).attempts).toMatchObject([
      { sequence: 1, channel: { provider: "bale" }, status: "failed" },
      { sequence: 2, channel: { type: "sms" }, status: "sent" }
    ])
    const messages = await simulated(server, phone)
    expect(messages.map(({ channel }) => channel)).toEqual(["bale", "sms"])
  }, 90_000)
})
