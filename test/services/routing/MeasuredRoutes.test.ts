import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { Providers } from "../../../src/services/provider/Providers.ts"
import { RouteRecords } from "../../../src/services/routing/RouteRecords.ts"
import { RoutingOrders } from "../../../src/services/routing/RoutingOrders.ts"
import { Codes } from "../../../src/services/verification/Codes.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const CODE = "424242"
const process = () =>
  testProcess(
    Layer.merge(
      Layer.mock(Providers)({
        sendCode: () => Effect.succeed(ProviderOutcome.Accepted({ messageId: null }))
      }),
      Layer.mock(Codes)({ next: () => Effect.succeed(CODE), length: CODE.length, maxWrongCodes: 5, tries: 5 })
    )
  )

const phoneOf = (n: number) => `+98912${1_000_000 + n}`

const send = Effect.fnUntraced(function* (customerId: number, n: number, channel?: string) {
  const channels = channel === undefined ? {} : { channels: [{ channel }] }
  return yield* Effect.orDie((yield* Verifications).send({ customerId, phone: phoneOf(n), ...channels }))
})

/** Thirty codes over each channel: none of bale's is verified, those of eitaa are after a minute. */
const withHistory = Effect.fnUntraced(function* (customerId: number) {
  const verifications = yield* Verifications
  const ids: Array<string> = []
  for (let n = 0; n < 30; n++) {
    yield* send(customerId, n, "bale")
    ids.push((yield* send(customerId, 100 + n, "eitaa")).verificationId)
  }
  yield* TestClock.adjust("70 seconds")
  for (const id of ids) yield* Effect.orDie(verifications.verify({ customerId, id, code: CODE }))
  yield* TestClock.adjust("3 minutes")
  yield* (yield* RouteRecords).refresh(customerId)
})

const stepsOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* Effect.orDie(
    sql<{ readonly route: ReadonlyArray<{ readonly channel: string; readonly wait: number }> }>`
      select route from verifications where id = ${id}::uuid`
  )
  return row?.route ?? []
})

const customerWith = Effect.fnUntraced(function* (order: "saved" | "measured", wait: 60 | "measured" = 60) {
  const customerId = yield* makeCustomer(["bale", "eitaa"])
  const steps = [
    { channel: "bale", wait },
    { channel: "eitaa", wait }
  ] as const
  yield* Effect.orDie((yield* RoutingOrders).save(customerId, steps, null, order))
  return customerId
})

/** One code in 25 explores. */
const firstChannels = Effect.fnUntraced(function* (customerId: number) {
  const channels: Array<string> = []
  for (let n = 0; n < 12; n++) {
    const { currentAttemptChannel } = yield* send(customerId, 500 + n)
    channels.push(currentAttemptChannel.provider)
  }
  return channels
})

layer(TestDatabase, { excludeTestServices: true })("a measured route", (it) => {
  it.effect("tries first the channel whose codes are verified, and keeps why", () =>
    Effect.gen(function* () {
      const customerId = yield* customerWith("measured")
      yield* withHistory(customerId)
      const first = yield* firstChannels(customerId)
      assert.isAtLeast(first.filter((channel) => channel === "eitaa").length, 9)
      const { verificationId, currentAttemptChannel } = yield* send(customerId, 900)
      const route = yield* stepsOf(verificationId)
      assert.strictEqual(route.length, 2)
      assert.strictEqual(route[0]?.channel, currentAttemptChannel.provider)
      const eitaa = route.find(({ channel }) => channel === "eitaa")
      assert.deepInclude(eitaa, { wait: 60 })
      assert.property(eitaa, "measured")
    }).pipe(Effect.provide(process()))
  )

  it.effect("is the saved one where the customer has not asked for it, or the request names channels", () =>
    Effect.gen(function* () {
      const customerId = yield* customerWith("saved")
      yield* withHistory(customerId)
      assert.deepStrictEqual(new Set(yield* firstChannels(customerId)), new Set(["bale"]))
      const measuring = yield* customerWith("measured")
      yield* withHistory(measuring)
      const { currentAttemptChannel } = yield* send(measuring, 901, "bale")
      assert.strictEqual(currentAttemptChannel.provider, "bale")
    }).pipe(Effect.provide(process()))
  )

  it.effect("waits as long as nine in ten codes of the channel took", () =>
    Effect.gen(function* () {
      const customerId = yield* customerWith("saved", "measured")
      yield* withHistory(customerId)
      const { verificationId } = yield* send(customerId, 900)
      const waits = (yield* stepsOf(verificationId)).map(({ channel, wait }) => [channel, wait])
      assert.deepStrictEqual(waits, [
        ["bale", 60],
        ["eitaa", 70]
      ])
    }).pipe(Effect.provide(process()))
  )

  it.effect("tries an account that cools down last", () =>
    Effect.gen(function* () {
      const customerId = yield* customerWith("measured")
      yield* withHistory(customerId)
      const sql = yield* SqlClient.SqlClient
      yield* Effect.orDie(sql`
        update account_pace set cooling_until = to_timestamp(1000) where account_id in (
          select id from sending_accounts where customer_id = ${customerId} and channel = 'eitaa')`)
      yield* (yield* RouteRecords).refresh(customerId)
      const { verificationId } = yield* send(customerId, 900)
      assert.deepStrictEqual(
        (yield* stepsOf(verificationId)).map(({ channel }) => channel),
        ["bale", "eitaa"]
      )
    }).pipe(Effect.provide(process()))
  )

  it.effect("counts each code once, however often it is refreshed", () =>
    Effect.gen(function* () {
      const customerId = yield* customerWith("measured")
      yield* withHistory(customerId)
      const records = yield* RouteRecords
      const before = records.of(customerId).records
      yield* records.refresh(customerId)
      yield* TestClock.adjust("1 minute")
      yield* records.refresh(customerId)
      assert.deepStrictEqual(records.of(customerId).records, before)
    }).pipe(Effect.provide(process()))
  )
})
