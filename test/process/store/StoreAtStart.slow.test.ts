import { randomBytes } from "node:crypto"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../bench/FreePort.ts"
import {
  beginProcess,
  makeDataDir,
  neutralEnvironment,
  type Running,
  runProgram,
  until,
  whenReady
} from "../../contract/Server.ts"
import { answerOf, discard, type ExternalPostgres, startExternal } from "./Postgres.ts"

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

/** How PostgreSQL refuses a connection. */
const refusal = (code: string, message: string): Buffer => {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write("E")
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** What stands before a PostgreSQL that cannot work at first, until `work`. */
const notYet = async (socketPath: string, refused: Buffer | null) => {
  let works = false
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sockets.add(client)
    client.on("error", () => {})
    if (works) {
      const origin = connect(socketPath)
      sockets.add(origin)
      origin.on("error", () => client.destroy())
      client.pipe(origin)
      origin.pipe(client)
    } else if (refused !== null) client.once("data", () => client.end(refused))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    work: () => {
      works = true
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}

const settings = async (refused: Buffer | null) => {
  const direct = await postgres.newDatabase()
  const url = new URL(direct)
  const store = await notYet(`${url.searchParams.get("host")}/.s.PGSQL.5432`, refused)
  url.searchParams.set("host", "127.0.0.1")
  url.searchParams.set("port", String(store.port))
  const env = {
    DATABASE_URL: url.href,
    PEYK_SECRET: randomBytes(32).toString("base64"),
    PEYK_STATEMENT_TIMEOUT_MS: "2000"
  }
  return { env, store, direct }
}

const untilItWaits = ({ output }: Pick<Running, "output">) =>
  until("the wait", async () => (/trying again in 1 s/.test(output()) ? true : undefined), 30_000)

const cases: ReadonlyArray<readonly [string, Buffer | null, RegExp]> = [
  ["does not respond", null, /timed out|in time/],
  ["starts (57P03)", refusal("57P03", "the database system is starting up"), /starting up/],
  ["has no connection left (53300)", refusal("53300", "sorry, too many clients already"), /too many clients/]
]

describe.concurrent("a PostgreSQL that at first", () => {
  it.each(cases)(
    "%s: the server waits for it, and says so in plain lines",
    async (_, refused, why) => {
      const { env, store } = await settings(refused)
      const begun = await beginProcess({ env })
      await untilItWaits(begun)
      store.work()
      const server = await whenReady(begun)
      const output = server.output()
      await server.stop()
      store.close()
      expect(output).toMatch(why)
      expect(output).toMatch(/trying again in 1 s/)
      expect(output).not.toMatch(/\n\s+at |\\n\s+at /)
    },
    90_000
  )

  it.each(cases)(
    "%s: a command says so in one line, and ends",
    async (_, refused, why) => {
      const { env, store } = await settings(refused)
      const all = {
        ...neutralEnvironment(),
        PEYK_DATA_DIR: unused,
        PEYK_PORT: String(await freePort()),
        ...env
      }
      const { code, err } = await runProgram(all, ["migrate"])
      store.close()
      expect(code).toBe(1)
      expect(err).toMatch(/^\s*ERROR\s*\n[^\n]+\n*$/)
      expect(err).toMatch(why)
    },
    60_000
  )

  it.each(cases)(
    "%s: two servers wait for it, and begin together on one store",
    async (_, refused) => {
      const { env, store, direct } = await settings(refused)
      const begun = await Promise.all([beginProcess({ env }), beginProcess({ env })])
      for (const each of begun) await untilItWaits(each)
      store.work()
      const servers = await Promise.all(begun.map(whenReady))
      const outputs = servers.map((server) => server.output())
      const schemas = await answerOf(
        direct,
        "select count(*)::int as answer from peyk_migrations where migration_id = 1"
      )
      await Promise.all(servers.map((server) => server.stop()))
      store.close()
      expect(schemas).toBe(1)
      for (const output of outputs) {
        expect(output).toMatch(/trying again in 1 s/)
        expect(output).not.toMatch(/\n\s+at |\\n\s+at |ERROR/)
      }
    },
    90_000
  )

  it.each(cases)(
    "%s: a server that waits for it stops at once",
    async (_, refused) => {
      const { env, store } = await settings(refused)
      const server = await beginProcess({ env })
      await untilItWaits(server)
      const code = await server.terminate()
      store.close()
      await discard(server.dataDir)
      expect(code).toBe(0)
      expect(server.output()).not.toMatch(/\n\s+at |\\n\s+at |ERROR/)
    },
    60_000
  )
})
