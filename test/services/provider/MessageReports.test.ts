import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DeliveryReport } from "../../../src/domain/ProviderOutcome.ts"
import { delivered, deliveriesOf, reportTimers, scriptReports, typesOf } from "./ScriptedReports.ts"
import { customerWithReports } from "../../support/RepeatableAccounts.ts"
import { connectedProcess } from "../../support/ScriptedConnections.ts"
import { scriptProviders, unreachable } from "../../support/ScriptedProviders.ts"
import { arriveAt, sendMessage } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { runDue } from "../../support/TestGraph.ts"

const { Delivered, Undelivered } = DeliveryReport

layer(TestDatabase, { excludeTestServices: true })(
  "a provider that reports the delivery of a message",
  (it) => {
    it.effect("is asked 10 s after it, also when the message is complete, and changes nothing else", () => {
      const providers = scriptProviders()
      const reports = scriptReports(Delivered({ at: 9_000 }))
      return Effect.gen(function* () {
        const start = yield* Clock.currentTimeMillis
        const { id, status } = yield* sendMessage(yield* customerWithReports(["bale"]), ["bale", "sms"])
        const before = yield* status
        assert.strictEqual(before.status, "sent")
        yield* arriveAt(start, 9)
        assert.deepStrictEqual(reports.asked, [])
        yield* arriveAt(start, 10)
        assert.deepStrictEqual(yield* deliveriesOf("messages", id), [[0, delivered]])
        assert.deepStrictEqual(yield* typesOf(id), [
          [1, "message.queued"],
          [2, "message.sending"],
          [3, "message.sent"],
          [4, "message.attempt_delivered"]
        ])
        assert.deepStrictEqual(yield* status, before)
        assert.strictEqual(yield* reportTimers, 0)
      }).pipe(Effect.provide(connectedProcess(providers.layer, reports.connect)))
    })

    it.effect(
      "over several routes of a broadcast at once is heard on each, under sequences of their own",
      () => {
        const providers = scriptProviders()
        const gate = Deferred.makeUnsafe<void>()
        const reports = scriptReports(
          Effect.as(Deferred.await(gate), Delivered({ at: 9_000 })),
          Effect.as(Deferred.await(gate), Delivered({ at: 9_000 })),
          Effect.as(Deferred.await(gate), Delivered({ at: 9_000 }))
        )
        return Effect.gen(function* () {
          const customerId = yield* customerWithReports(["bale", "eitaa", "sms"])
          const { id, status } = yield* sendMessage(customerId, ["bale", "eitaa", "sms"], {
            strategy: "broadcast"
          })
          assert.strictEqual(yield* reportTimers, 3)
          yield* TestClock.adjust("10 seconds")
          const asking = yield* Effect.forkChild(runDue)
          yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => reports.asked.length === 3 }))
          yield* Deferred.succeed(gate, undefined)
          yield* Fiber.join(asking)
          assert.deepStrictEqual(yield* deliveriesOf("messages", id), [
            [0, delivered],
            [1, delivered],
            [2, delivered]
          ])
          assert.deepStrictEqual((yield* typesOf(id)).slice(3), [
            [4, "message.attempt_delivered"],
            [5, "message.attempt_delivered"],
            [6, "message.attempt_delivered"]
          ])
          assert.strictEqual((yield* status).status, "sent")
        }).pipe(Effect.provide(connectedProcess(providers.layer, reports.connect)))
      }
    )

    it.effect("over one route of a broadcast is heard while another is still to be sent", () => {
      const gate = Deferred.makeUnsafe<void>()
      const providers = scriptProviders({ sms: Effect.as(Deferred.await(gate), unreachable) })
      const reports = scriptReports(Undelivered({ providerError: "6" }))
      const settings = { providerTimeoutMillis: 120_000 }
      return Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const customerId = yield* customerWithReports(["bale"])
        const sending = yield* Effect.forkChild(
          sendMessage(customerId, ["bale", "sms"], { strategy: "broadcast" })
        )
        const found = sql<{ readonly id: string }>`
        select id from messages where attempts @> '[{"step": 0, "status": "sent"}]'`
        const [row] = yield* found.pipe(Effect.repeat({ until: (rows) => rows.length === 1 }))
        const id = row?.id ?? ""
        yield* TestClock.adjust("10 seconds")
        yield* runDue
        const undelivered = { status: "undelivered", at: null, provider_error: "6" } as const
        assert.deepStrictEqual(yield* deliveriesOf("messages", id), [
          [0, undelivered],
          [1, null]
        ])
        yield* Deferred.succeed(gate, undefined)
        const { status } = yield* Fiber.join(sending)
        assert.strictEqual((yield* status).status, "partial_failed")
        assert.deepStrictEqual(yield* deliveriesOf("messages", id), [
          [0, undelivered],
          [1, null]
        ])
        assert.deepStrictEqual((yield* typesOf(id)).slice(2), [
          [3, "message.attempt_undelivered"],
          [4, "message.partial_failed"]
        ])
      }).pipe(Effect.provide(connectedProcess(providers.layer, reports.connect, { settings })))
    })
  }
)
