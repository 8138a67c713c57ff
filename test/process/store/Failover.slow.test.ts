import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { connect, createServer, type Server } from "node:net"
import { afterAll, beforeAll, expect, it } from "vitest"
import { freePort } from "../../../bench/FreePort.ts"
import { type Postgres, startPostgres } from "../../../bench/soak/Postgres.ts"
import { findPrimary } from "../../../src/layers/postgres/Primary.ts"
import { ok, otp, type Outcome, refused } from "../../contract/Client.ts"
import { type Customer, customerWith, sentCode } from "../../contract/Operator.ts"
import { makeDataDir, type Running, startProcess, until } from "../../contract/Server.ts"
import { discard } from "./Postgres.ts"

/** Leads from a port of this machine to a socket. */
const forward = (port: number, socketPath: string) =>
  new Promise<Server>((resolve) => {
    const server = createServer((client) => {
      const farEnd = connect(socketPath)
      const end = () => [client, farEnd].forEach((each) => each.destroy())
      for (const each of [client, farEnd]) each.on("error", end).on("close", end)
      client.pipe(farEnd)
      farEnd.pipe(client)
    })
    server.listen(port, "127.0.0.1", () => resolve(server))
  })

const forwarders: Array<Server> = []
let directory: string
let postgres: Postgres
let server: Running
let customer: Customer
/** The standby does not exist yet. */
let ports: readonly [primary: number, standby: number]
let password: string

const urlOf = (...of: ReadonlyArray<number>) =>
  `postgres://postgres:${password}@${of.map((port) => `127.0.0.1:${port}`).join(",")}/peyk`

beforeAll(async () => {
  directory = await makeDataDir()
  postgres = await startPostgres(directory)
  ports = [await freePort(), await freePort()]
  password = new URL(postgres.urlAt("")).searchParams.get("password") ?? ""
  forwarders.push(await forward(ports[0], postgres.socketPath))
  server = await startProcess({
    env: {
      DATABASE_URL: `${urlOf(...ports)}?target_session_attrs=read-write`,
      PEYK_SECRET: randomBytes(32).toString("base64"),
      PEYK_SIMULATOR: "true",
      PEYK_FREE_MONTHLY_QUOTA: "0"
    }
  })
  customer = await customerWith(server, { sms: {} })
})
afterAll(async () => {
  await server?.stop()
  for (const forwarder of forwarders) forwarder.close()
  await postgres?.stop()
  await discard(directory)
})

/** The URL of the host that is found among these. */
const primaryAmong = async (...of: ReadonlyArray<number>) => {
  const found = await Effect.runPromise(findPrimary(of.map((port) => Redacted.make(urlOf(port)))))
  return found === undefined ? undefined : Redacted.value(found)
}

it("after a failover the connections move to the new primary, also from an old one that still accepts writes", async () => {
  const client = otp(server, customer.live)
  const before = await sentCode(server, customer.live)
  const [primary, standby] = ports
  let whileItFollows: string | undefined
  let whileBoth: string | undefined

  const untilSendsWork = () =>
    until("sends to work again", async () => {
      const reply = await client.send({ channels: "sms" })
      if (reply.status === 200) return true
      refused(reply, 503, "service_unavailable")
      expect(reply.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
      return undefined
    })
  await postgres.promoteStandby(
    async (socketPath) => {
      forwarders.push(await forward(standby, socketPath))
      whileItFollows = await primaryAmong(standby, primary)
    },
    async () => {
      whileBoth = await primaryAmong(primary, standby)
      // commits on the old primary wait for a standby that it no longer has
      await untilSendsWork()
    }
  )

  // the standby responds, but takes no writes
  expect(whileItFollows).toBe(urlOf(primary))
  expect(whileBoth).toBe(urlOf(standby))
  await untilSendsWork()
  expect(ok<Outcome>(await client.verify(before.id, before.code)).verified).toBe(true)
}, 120_000)
