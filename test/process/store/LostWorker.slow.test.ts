// @effect-diagnostics processEnv:off
/**
 * On a Citus cluster of one's own (see `OwnStore.ts`): PEYK_TEST_CITUS_KILL is a command that kills one worker, and
 * PEYK_TEST_CITUS_REVIVE one that starts it again.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { otp, request } from "../../contract/Client.ts"
import { type Customer, customerWith } from "../../contract/Operator.ts"
import { ownStoreUrl } from "../../contract/OwnStore.ts"
import { type Running, startProcess, until } from "../../contract/Server.ts"

const { PEYK_TEST_CITUS_KILL: kill = "", PEYK_TEST_CITUS_REVIVE: revive = "" } = process.env
const hasCluster = kill !== "" && revive !== ""

const shell = (command: string) => promisify(execFile)("bash", ["-c", command])

describe.runIf(hasCluster)("a worker that is killed", () => {
  let server: Running
  let isDown = false

  beforeAll(async () => {
    server = await startProcess({})
  })
  afterAll(async () => {
    if (isDown) await shell(revive)
    await server?.stop()
  })

  const send = async ({ live }: Customer) => {
    const { status, headers } = await otp(server, live).send({ channels: ["sms"] })
    return { status, wait: Number(headers.get("retry-after")) }
  }
  const readiness = async () => {
    const { status, text } = await request(server, "GET", "/readyz")
    const body = JSON.parse(text) as { readonly lost_cells?: ReadonlyArray<number> }
    return { status, lost: body.lost_cells ?? [] }
  }

  it("concerns the customers of its cells only, and they can send again once it is back", async () => {
    const customers: Array<Customer> = []
    for (let n = 0; n < 4; n += 1) customers.push(await customerWith(server, { sms: {} }))
    for (const customer of customers) expect(await send(customer)).toMatchObject({ status: 200 })
    expect(await readiness()).toEqual({ status: 200, lost: [] })

    await shell(kill)
    isDown = true
    const { lost } = await until("a lost cell", async () => {
      const found = await readiness()
      expect(found.status).toBe(200)
      return found.lost.length > 0 ? found : undefined
    })
    const url = (await ownStoreUrl(server.dataDir)) ?? ""
    const lostOnes = await Effect.runPromise(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ readonly id: number }>`select id from customers where cell = any(${[...lost]}::int[])`
      ).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))
    )
    const isLost = ({ id }: Customer) => lostOnes.some((row) => row.id === Number(id))
    expect(customers.filter(isLost).length).toBeGreaterThan(0)
    expect(customers.filter((customer) => !isLost(customer)).length).toBeGreaterThan(0)
    for (const customer of customers.concat(customers)) {
      const { status, wait } = await send(customer)
      expect(status).toBe(isLost(customer) ? 503 : 200)
      if (isLost(customer)) expect(wait).toBeGreaterThan(0)
    }

    await shell(revive)
    isDown = false
    await until("all customers to send", async () => {
      for (const customer of customers) if ((await send(customer)).status !== 200) return undefined
      return true
    })
    expect(await readiness()).toEqual({ status: 200, lost: [] })
  }, 120_000)
})
