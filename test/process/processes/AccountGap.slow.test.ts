import { Effect, Exit, Scope } from "effect"
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { otp } from "../../contract/Client.ts"
import { BRIDGE_SECRET, connectAccount } from "../../contract/FarEnds.ts"
import { newCustomer } from "../../contract/Operator.ts"
import { makeDataDir, type Server, startServer, until } from "../../contract/Server.ts"
import { fakeFarEnd } from "../../support/fakes/FakeFarEnd.ts"
import { discard } from "../store/Postgres.ts"

const GAP_MILLIS = 1000
const env = { PEYK_ALLOW_PRIVATE_ADDRESSES: "true", PEYK_ACCOUNT_GAP_MS: String(GAP_MILLIS) }

const scope = Scope.makeUnsafe()
const arrivals: Array<number> = []
let gateway: string
let dataDir: string
let a: Server
let b: Server
beforeAll(async () => {
  const fake = await Effect.runPromise(
    Scope.provide(
      fakeFarEnd(() => {
        arrivals.push(performance.now())
        return { json: { status: "accepted" } }
      }),
      scope
    )
  )
  gateway = fake.url
  dataDir = await makeDataDir()
  a = await startServer({ env, dataDir })
  b = await startServer({ env, dataDir })
})
afterAll(async () => {
  await b?.kill()
  await a?.kill()
  if (dataDir !== undefined) await discard(dataDir)
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

describe("an account that two processes send over", () => {
  it("keeps its gap between the starts of calls, though one process stops before its slot and uses it late", async () => {
    const { id, live } = await newCustomer(a)
    await connectAccount(a, id, "bale", "bridge", { url: gateway, secret: BRIDGE_SECRET })
    const send = (server: Server) => otp(server, live).send({ channels: "bale" })
    for (let round = 0; round < 3; round++) {
      arrivals.length = 0
      await send(a)
      // The next slot is the stopped process's, the one after that the other's.
      const late = send(a)
      await pause(250)
      const onTime = send(b)
      await pause(250)
      process.kill(a.pid, "SIGSTOP")
      await pause(900)
      process.kill(a.pid, "SIGCONT")
      await Promise.all([late, onTime])
      await until("three calls", async () => (arrivals.length >= 3 ? true : undefined))
      const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0))
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(GAP_MILLIS)
      await pause(GAP_MILLIS)
    }
  }, 120_000)
})
