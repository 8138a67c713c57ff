import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { SLOT_MILLIS } from "../../../src/domain/Activity.ts"
import { cancelMessage } from "../../../src/domain/message/MessageMachine.ts"
import { CELL_TABLES } from "../../../src/layers/postgres/CellSchema.ts"
import { Insights } from "../../../src/services/activity/Insights.ts"
import { CustomerRows } from "../../../src/services/customer/CustomerRows.ts"
import { CustomerRecords } from "../../../src/services/customer/CustomerRecords.ts"
import { MessageStore } from "../../../src/services/message/MessageStore.ts"
import { Messages } from "../../../src/services/message/Messages.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { Wallets } from "../../../src/services/Wallets.ts"
import { InsightsTest } from "../../support/ManageReads.ts"
import { scriptProviders, unreachable } from "../../support/ScriptedProviders.ts"
import { settle } from "../../support/SentMessages.ts"
import { TestDatabaseOfCells } from "../../support/TestDatabase.ts"
import { makeCustomer, runDue, testProcess } from "../../support/TestGraph.ts"

const PHONE = "09121234567"
const NAMES = ["cell_1", "cell_2"]

const sendCode = (customerId: number, phone = PHONE) =>
  Effect.gen(function* () {
    const { within } = yield* CustomerRows
    const { send } = yield* Verifications
    return yield* within(customerId, send({ customerId, phone }))
  })

/** Tests share the cells: each starts with empty ones. */
const EmptyCells = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { inEach } = yield* CustomerRows
    const empty = Effect.forEach(CELL_TABLES, (table) => sql`delete from ${sql(table)}`)
    yield* Effect.orDie(inEach(empty))
  })
)

const processOver = (providers: ReturnType<typeof scriptProviders>) =>
  Layer.provideMerge(testProcess(providers.layer), EmptyCells)

/** The customers that have rows in this table, by the schema. */
const customersIn = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  const found: Record<string, ReadonlyArray<number>> = {}
  for (const schema of ["public", ...NAMES]) {
    const rows = yield* sql.unsafe<{ readonly id: number }>(
      `select distinct customer_id as id from ${schema}.${table} where customer_id <> 0 order by 1`
    )
    found[schema] = rows.map(({ id }) => id)
  }
  return found
})

for (const [title, areApart, hasNodes] of [
  ["cells", false, false],
  ["cells on other nodes", true, false],
  ["cells on other nodes, whose nodes are reached", true, true]
] as const) {
  layer(TestDatabaseOfCells(NAMES, areApart, hasNodes), { excludeTestServices: true })(title, (it) => {
    it.effect("the sends of each customer are in its cell, and nowhere else", () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const one = yield* makeCustomer(["bale", "sms"])
        const other = yield* makeCustomer(["bale", "sms"])
        const customers = [one, other]
        yield* Effect.forEach(customers, (id) => sendCode(id), { concurrency: "unbounded" })
        assert.strictEqual(providers.deliveries.length, 2)
        for (const table of ["verifications", "timers", "events", "ledger"]) {
          const found = yield* customersIn(table)
          assert.deepStrictEqual(found["public"], [], table)
          assert.deepStrictEqual(found["cell_1"], [one], table)
          assert.deepStrictEqual(found["cell_2"], [other], table)
        }
      }).pipe(Effect.provide(processOver(providers)))
    })

    it.effect("sums of codes are made where the codes are, and read there", () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const { within } = yield* CustomerRows
        const one = yield* makeCustomer(["bale", "sms"])
        yield* sendCode(one)
        const span = { from: 0, to: SLOT_MILLIS }
        const insights = yield* Insights
        const rows = yield* within(
          one,
          Effect.andThen(
            insights.bringUpToDate(one, [span], "long"),
            insights.totals({ customerId: one, mode: "live" }, ["operator"], span)
          )
        )
        assert.deepStrictEqual(
          rows.map(({ key, codes }) => [key, codes]),
          [["mci", 1]]
        )
        for (const table of ["activity_slots", "code_sums"]) {
          const { public: inStore = [], ...inCells } = yield* customersIn(table)
          assert.deepStrictEqual(inStore, [], table)
          assert.deepStrictEqual(Object.values(inCells).flat(), [one], table)
        }
      }).pipe(Effect.provide(Layer.provideMerge(InsightsTest, processOver(providers))))
    })

    it.effect("timers of all cells become due, and the next one decides how long the loop sleeps", () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const one = yield* makeCustomer(["bale", "sms"])
        const other = yield* makeCustomer(["bale", "sms"])
        yield* sendCode(one)
        yield* TestClock.adjust("20 seconds")
        yield* sendCode(other)
        yield* TestClock.adjust("40 seconds")
        assert.strictEqual(yield* runDue, 1)
        assert.deepStrictEqual(
          providers.deliveries.map(({ channel }) => channel),
          ["bale", "bale", "sms"]
        )
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual(yield* runDue, 1)
        assert.strictEqual(providers.deliveries.length, 4)
      }).pipe(Effect.provide(processOver(providers)))
    })

    it.effect("timers that another process parked are found in any cell", () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const { within } = yield* CustomerRows
        const sql = yield* SqlClient.SqlClient
        const customers = [yield* makeCustomer(["bale", "sms"]), yield* makeCustomer(["bale", "sms"])]
        for (const customerId of customers) {
          yield* sendCode(customerId)
          yield* within(customerId, Effect.orDie(sql`update timers set parked = true`))
        }
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* runDue, 2)
        assert.deepStrictEqual(
          providers.deliveries.map(({ channel }) => channel),
          ["bale", "bale", "sms", "sms"]
        )
      }).pipe(Effect.provide(processOver(providers)))
    })

    it.effect("codes are compared, and found, in the cell of their customer", () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const { within } = yield* CustomerRows
        const one = yield* makeCustomer(["bale"])
        const other = yield* makeCustomer(["bale"])
        const { status, verify } = yield* Verifications
        const { balance } = yield* Wallets
        const before = yield* balance(one)
        const { verificationId: id } = yield* sendCode(one)
        const code = providers.deliveries[0]?.code ?? ""
        const elsewhere = yield* Effect.exit(within(other, status({ customerId: other, id })))
        assert.strictEqual(elsewhere._tag, "Failure")
        const { verified } = yield* within(one, verify({ customerId: one, id, code }))
        assert.isTrue(verified)
        const after = yield* balance(one)
        assert.isBelow(after.balance, before.balance)
        assert.strictEqual(after.held, 0)
      }).pipe(Effect.provide(processOver(providers)))
    })

    it.effect("a transition that another one has overtaken is not written, and holds up no other", () =>
      Effect.gen(function* () {
        const { within } = yield* CustomerRows
        const { balance } = yield* Wallets
        const { send } = yield* Messages
        const store = yield* MessageStore
        // Two in each cell: what they write together is in one batch.
        const customers = yield* Effect.forEach([1, 2, 3, 4], () => makeCustomer(["bale"]))
        const befores = yield* Effect.forEach(customers, (customerId) => {
          const request = { customerId, to: PHONE, message: "x", channels: [{ channel: "bale" as const }] }
          const strategy = "failover" as const
          const load = Effect.flatMap(send({ ...request, strategy, delay: "1h" }), (sent) =>
            store.load(customerId, sent.messageId)
          )
          return Effect.map(within(customerId, load), (found) => ({
            customerId,
            before: Option.getOrThrow(found)
          }))
        })
        const cancel = ({ customerId, before }: (typeof befores)[number]) =>
          within(customerId, store.commit(null, before, Result.getOrThrow(cancelMessage(before, 0)), 0))
        assert.deepStrictEqual(yield* Effect.forEach(befores.slice(0, 2), cancel), [true, true])
        const written = yield* Effect.forEach(befores, cancel, { concurrency: "unbounded" })
        assert.deepStrictEqual(written, [false, false, true, true])
        for (const { customerId, before } of befores) {
          assert.isAbove(before.held, 0)
          assert.strictEqual((yield* balance(customerId)).held, 0)
        }
      }).pipe(Effect.provide(processOver(scriptProviders())))
    )

    it.effect("a customer and its first credit can be made in one transaction", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { balance, topUp } = yield* Wallets
        const id = yield* sql.withTransaction(
          Effect.gen(function* () {
            const customer = yield* (yield* CustomerRecords).create("test", "start")
            yield* topUp(customer.id, 100)
            return customer.id
          })
        )
        assert.strictEqual((yield* balance(id)).balance, 100)
        assert.deepStrictEqual((yield* customersIn("wallets"))["public"], [])
      }).pipe(Effect.provide(processOver(scriptProviders())))
    )

    it.effect("messages fall back in their cell too", () => {
      const providers = scriptProviders({ bale: unreachable })
      return Effect.gen(function* () {
        const { within } = yield* CustomerRows
        const { send, status } = yield* Messages
        const customers = [yield* makeCustomer(["bale", "sms"]), yield* makeCustomer(["bale", "sms"])]
        const channels = [{ channel: "bale" as const }, { channel: "sms" as const }]
        const request = { to: PHONE, message: "x", channels, strategy: "failover" as const }
        const ids = yield* Effect.forEach(customers, (customerId) =>
          Effect.map(within(customerId, send({ customerId, ...request })), ({ messageId }) => messageId)
        )
        yield* settle
        const statuses = yield* Effect.forEach(customers, (customerId, nth) =>
          within(customerId, status({ customerId, id: ids[nth] ?? "" }))
        )
        assert.deepStrictEqual(
          statuses.map((message) => message.status),
          ["sent", "sent"]
        )
      }).pipe(Effect.provide(processOver(providers)))
    })
  })
}
