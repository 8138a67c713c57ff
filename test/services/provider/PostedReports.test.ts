import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DeliveryReport } from "../../../src/domain/ProviderOutcome.ts"
import { PostedReports } from "../../../src/services/provider/PostedReports.ts"
import type { AttemptReport } from "../../../src/services/provider/ProviderAdapter.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { accountsOf, customerWithReports, eventsOf } from "../../support/RepeatableAccounts.ts"
import { connectionWith, scriptConnections, switchedOff } from "../../support/ScriptedConnections.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { PHONE } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testProcess } from "../../support/TestGraph.ts"

const delivered = DeliveryReport.Delivered({ at: 9_000 })

/** An account that reads each post as this report. */
const reading = (report: AttemptReport | null) => connectionWith({ readReport: () => report })

const receive = (accountId: number, connection: ReturnType<typeof reading> | typeof switchedOff) =>
  Effect.gen(function* () {
    const { receive: take } = yield* PostedReports
    return yield* Effect.result(take({ accountId, header: () => undefined, body: Effect.succeed("{}") }))
  }).pipe(
    Effect.provide(
      Layer.provide(
        Layer.fresh(PostedReports.layer),
        scriptConnections(() => connection)
      )
    )
  )

const sendCode = Effect.gen(function* () {
  const customerId = yield* customerWithReports(["bale"])
  const verifications = yield* Verifications
  const { verificationId: id } = yield* verifications.send({ customerId, phone: PHONE })
  const accountId = (yield* accountsOf(customerId))("bale")
  const deliveryNow = Effect.map(
    verifications.status({ customerId, id }),
    ({ attempts }) => attempts[0]?.delivery
  )
  return { customerId, id, accountId, attemptId: `${id}-1`, deliveryNow }
})

const deliveryEvents = (id: string) =>
  Effect.map(eventsOf(id), (events) => events.filter(({ type }) => type.includes("delivered")).length)

const process = testProcess(scriptProviders().layer)
const isRefused = (result: Result.Result<void, unknown>) => Result.isFailure(result)

layer(TestDatabase, { excludeTestServices: true })("a report that a provider posts", (it) => {
  it.effect("is recorded with its attempt, once", () =>
    Effect.gen(function* () {
      const { customerId, id, accountId, attemptId, deliveryNow } = yield* sendCode
      const report = reading({ customerId, attemptId, report: delivered })
      assert.isFalse(isRefused(yield* receive(accountId, report)))
      assert.isFalse(isRefused(yield* receive(accountId, report)))
      assert.strictEqual(yield* deliveryNow, "delivered")
      assert.strictEqual(yield* deliveryEvents(id), 1)
    }).pipe(Effect.provide(process))
  )

  it.effect("leaves its verification readable, whatever time it names", () =>
    Effect.gen(function* () {
      const { customerId, accountId, attemptId, deliveryNow } = yield* sendCode
      const report = DeliveryReport.Delivered({ at: 1_795_690_000_000_000_000 })
      yield* receive(accountId, reading({ customerId, attemptId, report }))
      assert.strictEqual(yield* deliveryNow, "delivered")
    }).pipe(Effect.provide(process))
  )

  it.effect("saves the provider the next question", () =>
    Effect.gen(function* () {
      const { customerId, accountId, attemptId } = yield* sendCode
      yield* receive(accountId, reading({ customerId, attemptId, report: delivered }))
      yield* TestClock.adjust("10 seconds")
      yield* (yield* TimerRunner).runDue
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select 1 from timers where kind = 'verification_report'`, 0)
    }).pipe(Effect.provide(process))
  )

  it.effect("changes nothing while the code is on its way", () =>
    Effect.gen(function* () {
      const { customerId, accountId, attemptId, deliveryNow } = yield* sendCode
      const report = DeliveryReport.InProgress()
      assert.isFalse(isRefused(yield* receive(accountId, reading({ customerId, attemptId, report }))))
      assert.isNull(yield* deliveryNow)
    }).pipe(Effect.provide(process))
  )

  it.effect("changes nothing of an attempt over another account", () =>
    Effect.gen(function* () {
      const { customerId, accountId, attemptId, deliveryNow } = yield* sendCode
      yield* receive(accountId + 1, reading({ customerId, attemptId, report: delivered }))
      assert.isNull(yield* deliveryNow)
    }).pipe(Effect.provide(process))
  )

  it.effect.each(["", "1", "0195f7a0-0000-7000-8000-000000000001-1", "x-1", "'; drop table timers-1"])(
    "changes nothing if it names the attempt %j",
    (attemptId) =>
      Effect.gen(function* () {
        const { customerId, accountId, deliveryNow } = yield* sendCode
        const report = reading({ customerId, attemptId, report: delivered })
        assert.isFalse(isRefused(yield* receive(accountId, report)))
        assert.isNull(yield* deliveryNow)
      }).pipe(Effect.provide(process))
  )

  it.effect.each([
    ["its provider did not sign it", reading(null)],
    ["its provider posts none", connectionWith({})],
    ["its account is switched off", switchedOff]
  ] as const)("is refused if %s", ([, connection]) =>
    Effect.gen(function* () {
      const { accountId, deliveryNow } = yield* sendCode
      assert.isTrue(isRefused(yield* receive(accountId, connection)))
      assert.isNull(yield* deliveryNow)
    }).pipe(Effect.provide(process))
  )
})
