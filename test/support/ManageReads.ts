import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Channel } from "../../src/domain/routing/Channel.ts"
import type { Page, PageRequest } from "../../src/domain/Paging.ts"
import { ActivitySumsSql } from "../../src/layers/activity/ActivitySumsSql.ts"
import { CodeSumsSql } from "../../src/layers/activity/CodeSumsSql.ts"
import { AuditLogSql } from "../../src/layers/activity/AuditLogSql.ts"
import { WalletsSql } from "../../src/layers/money/WalletsSql.ts"
import { MessageRecordsSql } from "../../src/layers/message/MessageRecordsSql.ts"
import { VerificationRecordsSql } from "../../src/layers/verification/VerificationRecordsSql.ts"
import { UsageRecordsSql } from "../../src/layers/money/UsageRecordsSql.ts"
import { ActivityReports } from "../../src/services/activity/ActivityReports.ts"
import { Insights } from "../../src/services/activity/Insights.ts"
import { UsageReports } from "../../src/services/UsageReports.ts"
import type { SettingsShape } from "../../src/services/Settings.ts"
import { TimerRunner } from "../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../src/services/verification/Verifications.ts"
import { Workers } from "../../src/services/concurrency/Workers.ts"
import type { scriptProviders } from "./ScriptedProviders.ts"
import { testProcess } from "./TestGraph.ts"

/** 2026-03-01T00:00:00Z */
export const MARCH = 1_772_323_200_000

/** The sums of codes, and what makes them. */
export const InsightsTest = Layer.provide(Insights.layer, [
  CodeSumsSql,
  Layer.provide(ActivityReports.layer, ActivitySumsSql)
])

const Reads = Layer.mergeAll(
  VerificationRecordsSql,
  MessageRecordsSql,
  Layer.provideMerge(UsageReports.layer, [UsageRecordsSql, ActivitySumsSql]),
  InsightsTest,
  WalletsSql,
  AuditLogSql
)

/** The live use cases from the 1st of March on, and what customers read of them. */
export const readProcess = (
  { layer }: ReturnType<typeof scriptProviders>,
  settings: Partial<SettingsShape> = {}
) => Layer.provideMerge(Reads, testProcess(layer, settings, MARCH))

export const firstPage: PageRequest = { limit: 100, after: null }

/** Follows a list to its end; between its parts something else may happen. */
export const allPages = <A, E, R, R2 = never>(
  limit: number,
  list: (page: PageRequest) => Effect.Effect<Page<A>, E, R>,
  between: Effect.Effect<unknown, never, R2> = Effect.void
) =>
  Effect.gen(function* () {
    const all: Array<A> = []
    let page = yield* list({ limit, after: null })
    for (;;) {
      all.push(...page.items)
      if (page.next === null) return all
      yield* between
      page = yield* list({ limit, after: page.next })
    }
  })

/** Does what is due. */
export const settle = Effect.gen(function* () {
  yield* (yield* Workers).idle
  yield* (yield* TimerRunner).runDue
})

export const later = (millis: number) => Effect.andThen(TestClock.adjust(millis), settle)

export const codeTo = Effect.fnUntraced(function* (
  customerId: number,
  phone: string,
  channels: ReadonlyArray<Channel> = ["bale", "eitaa", "sms"]
) {
  const at = yield* Clock.currentTimeMillis
  const sent = yield* (yield* Verifications).send({
    customerId,
    phone,
    channels: channels.map((channel) => ({ channel }))
  })
  return { id: sent.verificationId, at }
})

/** Enters the code that was sent with this verification. */
export const verifyCode = Effect.fnUntraced(function* (
  { deliveries }: ReturnType<typeof scriptProviders>,
  customerId: number,
  id: string
) {
  const code = deliveries.find(({ attemptId }) => attemptId.startsWith(id))?.code ?? ""
  return yield* (yield* Verifications).verify({ customerId, id, code })
})
