import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { MessageRequest } from "../../../src/services/message/MessageSends.ts"
import { Messages } from "../../../src/services/message/Messages.ts"
import { accepted, scriptProviders, unreachable } from "../../support/ScriptedProviders.ts"
import { settle } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"
import { watchedBatches } from "../../support/WatchedBatches.ts"

const unbounded = { concurrency: "unbounded" } as const
const PRICE = 100_000
/** What a new customer's wallet covers. */
const AFFORDABLE = 10

const phoneAt = (nth: number) => `0912${String(1_000_000 + nth)}`

/** So many messages at once, each to its own phone; the answers and the codes of the refusals. */
const sendTogether = Effect.fnUntraced(function* (
  customerId: number,
  count: number,
  fields: (nth: number) => Partial<MessageRequest> = () => ({})
) {
  const messages = yield* Messages
  const results = yield* Effect.all(
    Arr.makeBy(count, (nth) =>
      Effect.result(
        messages.send({
          customerId,
          to: phoneAt(nth),
          message: "سلام",
          channels: [{ channel: "bale" }],
          ...fields(nth)
        })
      )
    ),
    unbounded
  )
  return {
    ids: Arr.getSuccesses(results).map(({ messageId }) => messageId),
    refusals: Arr.getFailures(results).map(({ _tag }) => _tag)
  }
})

const one = <Row extends object>(statement: Effect.Effect<ReadonlyArray<Row>, unknown>) =>
  Effect.map(Effect.orDie(statement), ([row]) => row)

const moneyOf = (customerId: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    one(sql<{ readonly balance: number; readonly held: number; readonly captured: number }>`
      select sum(balance)::int as balance, sum(held)::int as held,
        (select coalesce(-sum(amount), 0)::int from ledger where customer_id = ${customerId} and kind = 'capture') as captured
      from wallets where customer_id = ${customerId}`)
  )

layer(TestDatabase, { excludeTestServices: true })("messages at the same time", (it) => {
  it.effect("to one phone are accepted up to its limit, and the others are refused", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const { ids, refusals } = yield* sendTogether(customerId, 60, () => ({ to: phoneAt(0) }))
      yield* settle
      assert.strictEqual(ids.length, 5)
      assert.deepStrictEqual([...new Set(refusals)], ["too_many_requests_phone_hour"])
      assert.strictEqual(providers.deliveries.length, 5)
    }).pipe(Effect.provide(testProcess(providers.layer, { messagePhoneHourLimit: 5 })))
  })

  it.effect("hold no more money than the wallet covers, and what is captured is what was sent", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const { ids, refusals } = yield* sendTogether(customerId, 60)
      yield* settle
      assert.strictEqual(ids.length, AFFORDABLE)
      assert.deepStrictEqual([...new Set(refusals)], ["insufficient_balance"])
      assert.deepStrictEqual(yield* moneyOf(customerId), {
        balance: 0,
        held: 0,
        captured: AFFORDABLE * PRICE
      })
    }).pipe(Effect.provide(testProcess(providers.layer, { priceBale: PRICE })))
  })

  it.effect("that fail give the money back that they held", () => {
    const providers = scriptProviders({ bale: Effect.succeed(unreachable) })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const before = yield* moneyOf(customerId)
      yield* sendTogether(customerId, AFFORDABLE)
      yield* settle
      assert.deepStrictEqual(yield* moneyOf(customerId), before)
    }).pipe(Effect.provide(testProcess(providers.layer, { priceBale: PRICE })))
  })

  it.effect("are accepted up to the month's quota of the free plan", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"], "free")
      const { ids, refusals } = yield* sendTogether(customerId, 60)
      yield* settle
      assert.strictEqual(ids.length, 7)
      assert.deepStrictEqual([...new Set(refusals)], ["quota_exceeded"])
      assert.strictEqual(providers.deliveries.length, 7)
    }).pipe(Effect.provide(testProcess(providers.layer, { freeMonthlyQuota: 7 })))
  })

  it.effect("of several customers are refused only for their own limits", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const rich = yield* makeCustomer()
      const free = yield* makeCustomer(["bale"], "free")
      const [paid, counted] = yield* Effect.all(
        [sendTogether(rich, 30, (nth) => ({ to: phoneAt(100 + nth) })), sendTogether(free, 30)],
        unbounded
      )
      assert.deepStrictEqual([paid.ids.length, paid.refusals.length], [30, 0])
      assert.deepStrictEqual([counted.ids.length, counted.refusals.length], [7, 23])
    }).pipe(Effect.provide(testProcess(providers.layer, { freeMonthlyQuota: 7 })))
  })

  it.effect("each have their events in order", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer()
      const { ids } = yield* sendTogether(customerId, 100)
      yield* settle
      const rows = yield* Effect.orDie(sql<{ readonly types: ReadonlyArray<string> }>`
        select array_agg(type order by sequence) as types from events where customer_id = ${customerId}
        group by subject`)
      assert.strictEqual(rows.length, ids.length)
      assert.deepStrictEqual(
        [...new Set(rows.map(({ types }) => types.join()))],
        ["message.queued,message.sending,message.sent"]
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("keep a text, a template's parameters and metadata each to their own message", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer()
      const { ids } = yield* sendTogether(customerId, 50, (nth) => ({
        message: `text ${nth}`,
        metadata: `{"nth":${nth}}`
      }))
      const rows = yield* Effect.orDie(
        sql<{
          readonly id: string
          readonly phone: string
          readonly text: string
          readonly metadata: string
        }>`select id, phone, text, metadata from messages where customer_id = ${customerId}`
      )
      const expected = ids.map((id, nth) => ({
        id,
        phone: `+98${phoneAt(nth).slice(1)}`,
        text: `text ${nth}`,
        metadata: `{"nth":${nth}}`
      }))
      const byId = (one: { readonly id: string }, other: { readonly id: string }) =>
        one.id < other.id ? -1 : 1
      assert.deepStrictEqual(rows.toSorted(byId), expected.toSorted(byId))
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("share the statements that accept, read and record them", () => {
    const providers = scriptProviders({ bale: Effect.succeed(accepted) })
    let statements = 0
    const counting = watchedBatches((_, statement) =>
      Effect.suspend(() => {
        statements += 1
        return statement
      })
    )
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const { ids } = yield* sendTogether(customerId, 100)
      yield* settle
      assert.strictEqual(ids.length, 100)
      assert.strictEqual(providers.deliveries.length, 100)
      assert.isBelow(statements, 60)
    }).pipe(Effect.provide(testProcess(providers.layer).pipe(Layer.provideMerge(counting))))
  })

  it.effect("with one idempotency key of two bodies make one message, and the other conflicts", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const messages = yield* Messages
      const results = yield* Effect.all(
        Arr.makeBy(40, (nth) =>
          Effect.result(
            messages.send({
              customerId,
              to: phoneAt(nth % 2),
              message: "سلام",
              channels: [{ channel: "bale" }],
              idempotency: { key: "same", body: { to: nth % 2 } }
            })
          )
        ),
        unbounded
      )
      yield* settle
      const conflicts = results.filter(
        (result) => Result.isFailure(result) && result.failure._tag === "idempotency_key_conflict"
      )
      assert.strictEqual(conflicts.length, 20)
      assert.strictEqual(new Set(Arr.getSuccesses(results).map(({ messageId }) => messageId)).size, 1)
      assert.strictEqual(providers.deliveries.length, 1)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })
})
