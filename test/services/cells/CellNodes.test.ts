import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { alone, isAtRows } from "../../../src/layers/postgres/SetUpPlace.ts"
import { BatchSql } from "../../../src/layers/postgres/Pools.ts"
import { CustomerRows } from "../../../src/services/customer/CustomerRows.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabaseOfCells } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const NAMES = ["cell_1", "cell_2"]

const sendCode = (customerId: number, phone: string) =>
  Effect.gen(function* () {
    const { within } = yield* CustomerRows
    const { send } = yield* Verifications
    return yield* within(customerId, send({ customerId, phone }))
  })

/** Whether the statements of batches go to the node of this customer's cell. */
const isReached = (customerId: number) =>
  Effect.gen(function* () {
    const { within } = yield* CustomerRows
    return yield* within(customerId, alone(isAtRows(yield* BatchSql)))
  })

/** By the machine's clock: connections are made in the background. */
const turn = Effect.promise(() => new Promise((resume) => setImmediate(resume)))

/** Asks for a statement of a batch until it goes to the node. */
const untilReached = (customerId: number) =>
  Effect.gen(function* () {
    const { within } = yield* CustomerRows
    const sql = yield* BatchSql
    while (!(yield* isReached(customerId))) {
      yield* within(customerId, alone(sql`select 1`))
      yield* turn
    }
  })

const codesIn = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly phone: string }>`select phone from ${sql(table)} order by phone`
    return rows.map(({ phone }) => phone)
  })

const run = (...statements: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared)
  })

layer(TestDatabaseOfCells(NAMES, true, true), { excludeTestServices: true })("a cell's node", (it) => {
  it.effect("has the batches of its cell past the coordinator, until the cell is moved away", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customer = yield* makeCustomer(["bale"])
      yield* sendCode(customer, "09121234561")
      yield* untilReached(customer)

      // What the coordinator would write to is away: accepting and recording do without it.
      yield* run(
        "alter view cell_1.verifications rename to away",
        "alter view cell_1.wallets rename to away_too"
      )
      yield* sendCode(customer, "09121234562")
      yield* run(
        "alter view cell_1.away rename to verifications",
        "alter view cell_1.away_too rename to wallets"
      )

      // As Citus ends a move. The batch that is refused is written through the coordinator instead, once.
      yield* run("delete from pg_dist_placement where groupid = 1")
      yield* sendCode(customer, "09121234563")
      assert.isFalse(yield* isReached(customer))
      assert.deepStrictEqual(yield* codesIn("cell_1.verifications"), [
        "+989121234561",
        "+989121234562",
        "+989121234563"
      ])
      const sql = yield* SqlClient.SqlClient
      // Reads are refused too: another node has newer rows.
      const read = sql.withTransaction(
        Effect.andThen(run("set local search_path = cell_1_local"), sql`select from verifications`)
      )
      assert.strictEqual((yield* Effect.exit(read))._tag, "Failure")
      yield* run("insert into pg_dist_placement select shardid, 1 from pg_dist_placement")
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("compares the set-up that the coordinator has", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customer = yield* makeCustomer(["bale"])
      yield* sendCode(customer, "09121234571")
      yield* untilReached(customer)
      // Nothing announces this change: the statement itself has to find it, before it stores anything.
      yield* run(`update set_up_versions set version = version + 1 where customer_id = ${customer}`)
      yield* sendCode(customer, "09121234572")
      assert.isTrue(yield* isReached(customer))
      const codes = yield* Effect.flatMap(CustomerRows, ({ within }) =>
        within(customer, codesIn("verifications"))
      )
      assert.deepStrictEqual(codes.slice(-2), ["+989121234571", "+989121234572"])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("keeps plans, where the coordinator plans each statement again to find its node", () =>
    Effect.gen(function* () {
      // The first cell was moved away above: the next customer lives in the second.
      yield* makeCustomer(["bale"])
      const customer = yield* makeCustomer(["bale"])
      const sql = yield* BatchSql
      const planning = sql<{ readonly mode: string }>`select current_setting('plan_cache_mode') as mode`
      const { within } = yield* CustomerRows
      yield* untilReached(customer)
      const [[atNode], [atCoordinator], [ofStore]] = yield* Effect.all([
        within(customer, alone(planning)),
        within(customer, planning),
        planning
      ])
      assert.deepStrictEqual(
        [atNode?.mode, atCoordinator?.mode, ofStore?.mode],
        ["force_generic_plan", "auto", "auto"]
      )
    }).pipe(Effect.provide(testProcess(scriptProviders().layer)))
  )
})
