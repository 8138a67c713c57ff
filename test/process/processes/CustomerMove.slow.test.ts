import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { messages, newKey, newPhone, otp, type Sent } from "../../contract/Client.ts"
import { hasCluster, newClusterDatabase } from "../../contract/OwnStore.ts"
import { codeOf, type Customer, newAccount, newCustomer, simulated } from "../../contract/Operator.ts"
import {
  makeDataDir,
  neutralEnvironment,
  type Running,
  runProgram,
  startProcess,
  until
} from "../../contract/Server.ts"
import { programFile } from "../../support/Programs.ts"
import { answerOf, discard, type ExternalPostgres, startExternal } from "../store/Postgres.ts"

/** The longest that a write of a customer may wait for its move; the rest is what a send takes on a busy machine. */
const LONGEST_MILLIS = 2000

const secret = randomBytes(32).toString("base64")

/** Undefined on a Citus cluster of one's own (see `OwnStore.ts`). */
let postgres: ExternalPostgres | undefined
let unused: string
let url: string
/** The databases of all nodes; the first is the store's. */
let nodes: ReadonlyArray<string>
let servers: ReadonlyArray<Running>
beforeAll(async () => {
  unused = await makeDataDir()
  if (hasCluster) nodes = await newClusterDatabase()
  else {
    postgres = await startExternal()
    nodes = [await postgres.newDatabase()]
  }
  url = nodes[0] ?? ""
  await peyk("migrate")
  if (hasCluster) await peyk("migrate", "--citus", "--cells", "2")
  else for (const _ of [1, 2]) await peyk("cell", "add")
  const env = { DATABASE_URL: url, PEYK_SECRET: secret, PEYK_SIMULATOR: "true", PEYK_LEASE_MS: "10000" }
  servers = [await startProcess({ env }), await startProcess({ env })]
}, 120_000)
afterAll(async () => {
  for (const server of servers ?? []) await server.stop()
  await discard(unused)
  await postgres?.discard()
})

const environment = () => ({
  ...neutralEnvironment(),
  PEYK_DATA_DIR: unused,
  DATABASE_URL: url,
  PEYK_SECRET: secret,
  PEYK_SIMULATOR: "true"
})

const peyk = async (...args: ReadonlyArray<string>) => {
  const { code, out, err } = await runProgram(environment(), [...args, "--json"])
  expect(code, err).toBe(0)
  return out === "" ? undefined : (JSON.parse(out) as Record<string, unknown>)
}

const countIn = (cell: string, table: string, customer: string) =>
  answerOf(url, `select count(*)::int as answer from ${cell}.${table} where customer_id = ${customer}`)

/** The sum of one statement's answers on all nodes. */
const sumOver = async (statement: string) => {
  const answers = await Promise.all(nodes.map((node) => answerOf(node, statement)))
  return answers.reduce<number>((sum, answer) => sum + Number(answer), 0)
}

const newMover = async () => {
  const [first] = servers
  if (first === undefined) throw new Error("no server")
  const customer = await newCustomer(first, "start")
  const account = String(await newAccount(first, customer.id, "bale"))
  await peyk("account", "limits", "--account", account, "--gap-ms", "0", "--per-minute", "0")
  await peyk("wallet", "top-up", "--customer", customer.id, "--amount", "100000000")
  return customer
}

const cellOf = (customer: string) =>
  answerOf(url, `select cell as answer from customers where id = ${customer}`)

const serverOf = (nth: number): Running => {
  const server = servers[nth % servers.length]
  if (server === undefined) throw new Error("no server")
  return server
}

interface Load {
  readonly stop: () => Promise<void>
  readonly sent: Array<{ readonly id: string; readonly phone: string }>
  readonly verified: Array<string>
  readonly messages: Array<string>
  readonly failures: Array<string>
  readonly millis: Array<number>
}

/** The customer sends over both processes, and its codes are entered at the other one. */
const startLoad = ({ live }: Customer, loops: number): Load => {
  const load = { sent: [], verified: [], messages: [], failures: [], millis: [] } as unknown as Load
  const state = { isOver: false }
  const timed = async <A>(work: () => Promise<A>): Promise<A> => {
    const begun = performance.now()
    const done = await work()
    load.millis.push(performance.now() - begun)
    return done
  }
  const loop = async (nth: number) => {
    let round = nth
    while (!state.isOver) {
      round += 1
      const phone = newPhone()
      const here = serverOf(round)
      const there = serverOf(round + 1)
      const reply = await timed(() =>
        otp(here, live).postSend({ phone, channels: ["bale"] }, { "idempotency-key": newKey() })
      )
      if (reply.status !== 200) {
        load.failures.push(`send ${reply.status} ${reply.text}`)
        continue
      }
      const { verification_id: id } = JSON.parse(reply.text) as Sent
      load.sent.push({ id, phone })
      const code = await codeOf(here, phone)
      const entered = await timed(() => otp(there, live).verify(id, code))
      if (entered.status === 200 && entered.text.includes('"verified":true')) load.verified.push(id)
      else load.failures.push(`verify ${entered.status} ${entered.text}`)
      const text = await timed(() =>
        messages(here, live).send({ to: newPhone(), message: "x", channels: ["bale"], strategy: "failover" })
      )
      if (text.status === 201)
        load.messages.push((JSON.parse(text.text) as { message_id: string }).message_id)
      else load.failures.push(`message ${text.status} ${text.text}`)
    }
  }
  const running = Promise.all(Array.from({ length: loops }, (_, nth) => loop(nth)))
  return {
    ...load,
    stop: async () => {
      state.isOver = true
      await running
    }
  }
}

/** Everything that was accepted is in the new cell, once, and was sent once. */
const expectMoved = async (customer: Customer, load: Load, cell: number) => {
  expect(load.failures).toEqual([])
  expect(load.sent.length).toBeGreaterThan(5)
  expect(load.verified).toHaveLength(load.sent.length)
  const [from, to] = cell === 2 ? ["cell_1", "cell_2"] : ["cell_2", "cell_1"]
  expect(await cellOf(customer.id)).toBe(cell)
  for (const table of [
    "verifications",
    "messages",
    "timers",
    "ledger",
    "wallets",
    "events",
    "idempotency_keys"
  ])
    expect(await countIn(from ?? "", table, customer.id), table).toBe(0)
  expect(await countIn(to ?? "", "verifications", customer.id)).toBe(load.sent.length)
  expect(await countIn(to ?? "", "messages", customer.id)).toBe(load.messages.length)
  for (const [nth, { id, phone }] of load.sent.entries()) {
    expect((await otp(serverOf(nth), customer.live).status(id)).status).toBe("verified")
    expect(await simulated(serverOf(0), phone)).toHaveLength(1)
  }
  const statuses = await until("all messages to be sent", async () => {
    const sent = await answerOf(
      url,
      `select count(*)::int as answer from ${to}.messages where customer_id = ${customer.id} and status = 'sent'`
    )
    return sent === load.messages.length ? sent : undefined
  })
  expect(statuses).toBe(load.messages.length)
  expect(await answerOf(url, "select count(*)::int as answer from customer_moves")).toBe(0)
  expect(await sumOver("select count(*)::int as answer from pg_trigger where tgname like 'moving_%'")).toBe(0)
  const { healthy } = (await peyk("doctor")) ?? {}
  expect(healthy).toBe(true)
}

describe("a customer that sends over two processes", () => {
  it("is moved to another cell and back: nothing is lost or doubled, and no write waits for long", async () => {
    const customer = await newMover()
    const home = Number(await cellOf(customer.id))
    const away = home === 1 ? 2 : 1
    // The processes have connections to the other cell already, and its customers send there.
    const neighbour = await newMover()
    expect(Number(await cellOf(neighbour.id))).toBe(away)
    const others = startLoad(neighbour, 1)
    await until("sends of others", async () => (others.sent.length > 5 ? true : undefined), 30_000)
    const load = startLoad(customer, 4)
    await until("some sends", async () => (load.sent.length > 10 ? true : undefined), 30_000)
    expect(await peyk("customer", "move", "--customer", customer.id, "--cell", String(away))).toMatchObject({
      moved: true
    })
    await until("more sends", async () => (load.sent.length > 30 ? true : undefined), 60_000)
    await load.stop()
    await others.stop()
    await expectMoved(customer, load, away)
    expect(others.failures).toEqual([])
    expect(Math.max(...load.millis)).toBeLessThan(LONGEST_MILLIS)
    // Whoever is there already stays there.
    expect(await peyk("customer", "move", "--customer", customer.id, "--cell", String(away))).toMatchObject({
      moved: false
    })
    const audited = await answerOf(
      url,
      `select count(*)::int as answer from audit_log where customer_id = ${customer.id} and action = 'customer.move'`
    )
    expect(audited).toBe(1)
  }, 180_000)

  /** Holds up the move at one step, where it is killed. */
  const steps = [
    ["before the first trigger is made", (from: string) => `lock table ${from}.verifications in share mode`],
    ["between two triggers", (from: string) => `lock table ${from}.events in share mode`],
    ["while it copies", (_: string, to: string) => `lock table ${to}.ledger in exclusive mode`],
    [
      "at the switch",
      (from: string, _: string, id: string) =>
        `select pg_advisory_xact_lock_shared(28, ${id})${hasCluster ? ` from ${from}.here` : ""}`
    ],
    ["while it deletes the former rows", (from: string) => `lock table ${from}.ledger in exclusive mode`]
  ] as const
  it.each(steps)(
    "is moved though the move is killed %s",
    async (name, statement) => {
      const customer = await newMover()
      const home = Number(await cellOf(customer.id))
      const away = home === 1 ? 2 : 1
      const load = startLoad(customer, 2)
      await until("some sends", async () => (load.sent.length > 3 ? true : undefined), 30_000)
      const args = ["customer", "move", "--customer", customer.id, "--cell", String(away)]
      const start = () =>
        spawn(process.execPath, [programFile("peyk"), ...args], { env: environment(), stdio: "ignore" })
      let child: ReturnType<typeof start>
      if (name === "while it deletes the former rows") {
        child = start()
        await until(
          "the switch",
          async () => (Number(await cellOf(customer.id)) === away ? true : undefined),
          60_000
        )
        child.kill("SIGKILL")
      } else {
        const scope = Scope.makeUnsafe()
        const made = await Effect.runPromise(
          Layer.build(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })).pipe(
            Scope.provide(scope)
          )
        )
        const sql = Context.get(made, SqlClient.SqlClient)
        await Effect.runPromise(sql.unsafe("begin"))
        await Effect.runPromise(sql.unsafe(statement(`cell_${home}`, `cell_${away}`, customer.id)))
        child = start()
        await until(
          "the move to wait",
          async () =>
            (await sumOver(
              `select count(*)::int as answer from pg_locks l join pg_database d on d.oid = l.database
              where d.datname = current_database() and not granted`
            )) > 0
              ? true
              : undefined,
          60_000
        )
        child.kill("SIGKILL")
        await Effect.runPromise(sql.unsafe("rollback"))
        await Effect.runPromise(Scope.close(scope, Exit.void))
      }
      const before = load.sent.length
      await until("more sends", async () => (load.sent.length > before + 3 ? true : undefined), 30_000)
      expect(await peyk(...args)).toMatchObject({ moved: true })
      await load.stop()
      await expectMoved(customer, load, away)
    },
    180_000
  )
})
