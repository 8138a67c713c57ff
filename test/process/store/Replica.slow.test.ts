import { randomBytes } from "node:crypto"
import { dirname } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Postgres, type Replica, startPostgres } from "../../../bench/soak/Postgres.ts"
import { ok, otp, type Sent } from "../../contract/Client.ts"
import type { List } from "../../contract/ManagedCustomer.ts"
import { manage } from "../../contract/Manager.ts"
import { type Customer, customerWith } from "../../contract/Operator.ts"
import {
  makeDataDir,
  neutralEnvironment,
  type Running,
  runCommand,
  startProcess
} from "../../contract/Server.ts"
import { discard } from "./Postgres.ts"

let directory: string
let postgres: Postgres
let replica: Replica
let env: Readonly<Record<string, string>>
let writer: Running
/** Another process, which knows nothing of the writer's requests. */
let reader: Running
let customer: Customer
let token: string

beforeAll(async () => {
  directory = await makeDataDir()
  postgres = await startPostgres(directory)
  const added = await postgres.addReplica()
  if (added === null) throw new Error("the embedded PostgreSQL of this machine can have no standby")
  replica = added
  env = {
    DATABASE_URL: postgres.urlAt(dirname(postgres.socketPath)),
    PEYK_DATABASE_READ_URL: replica.url,
    PEYK_SECRET: randomBytes(32).toString("base64"),
    PEYK_SIMULATOR: "true",
    PEYK_FREE_MONTHLY_QUOTA: "0"
  }
  writer = await startProcess({ env })
  reader = await startProcess({ env })
  customer = await customerWith(writer, { sms: {} })
  const made = await writer.cli(
    "token",
    "create",
    "--customer",
    customer.id,
    "--scope",
    "read_only",
    "--name",
    "CI"
  )
  token = (made as { readonly secret: string }).secret
})
afterAll(async () => {
  await writer?.stop()
  await reader?.stop()
  await replica?.stop()
  await postgres?.stop()
  await discard(directory)
})

/** Sends a code at one process, and returns whether the other lists it at once. */
const isListedAtOnce = async () => {
  const sent = ok<Sent>(await otp(writer, customer.live).send({ channels: "sms" }))
  const headers = { authorization: `apikey ${token}` }
  const listed = ok<List<{ readonly verification_id: string }>>(
    await manage(reader, "GET", "/verifications?limit=5", headers)
  )
  return listed.data.some(({ verification_id }) => verification_id === sent.verification_id)
}

const readsAt = async (place: "primary" | "replica") => {
  const metrics = await (await fetch(`${reader.url}/metrics`)).text()
  const found = new RegExp(`^peyk_database_reads_total\\{place="${place}"\\} (\\d+)`, "m").exec(metrics)
  return Number(found?.[1] ?? 0)
}

const replicaInDoctor = async () => {
  const { out } = await runCommand({ ...neutralEnvironment(), ...env }, ["doctor", "--json"])
  const { checks } = JSON.parse(out) as {
    readonly checks: ReadonlyArray<{ readonly check: string; readonly finding: string }>
  }
  return checks.find(({ check }) => check === "replica")?.finding
}

it("a list comes from the replica, and has what another process accepted just before", async () => {
  for (let nth = 0; nth < 20; nth += 1) expect(await isListedAtOnce()).toBe(true)
  expect(await readsAt("replica")).toBeGreaterThanOrEqual(20)
  expect(await replicaInDoctor()).toContain("serves lists")
})

it("a list comes from the primary while the replica is behind", async () => {
  await replica.pause(true)
  const before = await readsAt("primary")
  expect(await isListedAtOnce()).toBe(true)
  expect(await readsAt("primary")).toBeGreaterThan(before)
  expect(await replicaInDoctor()).toContain("is not used")
  await replica.pause(false)
})

it("a list comes from the primary, and sends work, without the replica", async () => {
  await replica.stop()
  expect(await isListedAtOnce()).toBe(true)
  expect((await fetch(`${reader.url}/readyz`)).status).toBe(200)
})
