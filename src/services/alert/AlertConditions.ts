import { Cache, Clock, Context, Effect, Exit, Layer } from "effect"
import { slotOf } from "../../domain/Activity.ts"
import { DAY_MILLIS, formatInstant, HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { noCodeSums } from "../../domain/Insights.ts"
import type { AlertCondition } from "../../domain/alert/Alert.ts"
import { distinct } from "../../domain/alert/AlertPace.ts"
import {
  conversionCondition,
  creditConditions,
  expiryConditions,
  guardConditions,
  hasFallen,
  moneyConditions,
  webhookConditions
} from "../../domain/alert/AlertRules.ts"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import type { Tally } from "../../domain/guard/Conversion.ts"
import { budgetConditions, type Budgets } from "../Budgets.ts"
import type { Wallets } from "../Wallets.ts"
import { AccountSummaries } from "../activity/AccountSummaries.ts"
import { Insights } from "../activity/Insights.ts"
import { type SetUpConcern, SetUpConcerns } from "../customer/SetUpConcerns.ts"
import { GuardRecords } from "../guard/GuardRecords.ts"
import { RouteRecords } from "../routing/RouteRecords.ts"
import { HealthReports } from "../system/HealthReports.ts"
import { AlertStore } from "./AlertStore.ts"

/** What is wrong with an account or a channel that codes need. */
const concernCondition = (concern: SetUpConcern): ReadonlyArray<AlertCondition> => {
  switch (concern._tag) {
    case "AccountRefused":
    case "AccountNotReached": {
      const { id, label } = concern.account
      return [{ kind: "channel_down", subject: { type: "account", id: String(id), name: label }, counts: {} }]
    }
    case "ChannelDeliversNothing": {
      const { channel, codes } = concern
      return [
        { kind: "channel_down", subject: { type: "channel", id: channel, name: channel }, counts: { codes } }
      ]
    }
    case "StepCannotSend": {
      const { channel } = concern
      return [{ kind: "channel_down", subject: { type: "channel", id: channel, name: channel }, counts: {} }]
    }
    // Guard alarms have a kind of their own, and the rest is no reason to wake somebody.
    default:
      return []
  }
}

/** Sums of half an hour are read again after so long: they cost a busy customer's store some work. */
const SUMS_AGE = "10 minutes"
const MAX_CUSTOMERS = 1000
const RECENT_MILLIS = 2 * HOUR_MILLIS
const USUAL_MILLIS = 7 * DAY_MILLIS
/** A person takes so long to enter a code. */
const ENTERED_AFTER_MILLIS = 10 * MINUTE_MILLIS

/** Whether fewer codes as a whole are verified than in the week before, by the sums of half hours. */
const makeWholeConversion = Effect.gen(function* () {
  const insights = yield* Insights
  const tallyOf = Effect.fnUntraced(function* (customerId: number, from: Instant, to: Instant) {
    const [sums = noCodeSums] = yield* insights.totals({ customerId, mode: "live" }, ["all"], { from, to })
    const tally: Tally = [sums.codes, sums.verified]
    return tally
  })
  const read = Effect.fnUntraced(function* (customerId: number) {
    const now = yield* Clock.currentTimeMillis
    const to = slotOf(now - ENTERED_AFTER_MILLIS)
    const from = to - RECENT_MILLIS
    const before = from - USUAL_MILLIS
    const isComplete = yield* insights.bringUpToDate(customerId, [{ from: before, to }], "short")
    if (!isComplete) return []
    const [recent, usual] = yield* Effect.all([
      tallyOf(customerId, from, to),
      tallyOf(customerId, before, from)
    ])
    return hasFallen(recent, usual) ? [conversionCondition({ channel: null, recent, usual })] : []
  })
  const cache = yield* Cache.makeWith(read, {
    capacity: MAX_CUSTOMERS,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? SUMS_AGE : 0)
  })
  return (customerId: number) => Cache.get(cache, customerId)
})

/** What the measured order found out about channels. */
const makeChannelConversion = Effect.gen(function* () {
  const routing = yield* RouteRecords
  return Effect.fnUntraced(function* (customerId: number) {
    // A process that has sent none of the customer's codes knows nothing yet.
    if (Object.keys(routing.of(customerId).records).length === 0) yield* routing.refresh(customerId)
    return Object.entries(routing.of(customerId).records).flatMap(([channel, { tally, before }]) =>
      before === null ? [] : [conversionCondition({ channel, recent: tally, usual: before.tally })]
    )
  })
})

const monthOf = (monthEndsAt: Instant): string => formatInstant(monthEndsAt - 1).slice(0, "2026-11".length)

const makeOfCustomer = Effect.gen(function* () {
  const store = yield* AlertStore
  const concerns = yield* SetUpConcerns
  const summaries = yield* AccountSummaries
  const guard = yield* GuardRecords
  const wholeConversion = yield* makeWholeConversion
  const channelConversion = yield* makeChannelConversion
  const money = yield* Effect.context<Budgets | Wallets>()
  const budget = (customerId: number, now: Instant) =>
    Effect.map(Effect.provideContext(budgetConditions(customerId, now), money), (reached) =>
      reached.map((each) => ({ ...each, subject: { ...each.subject, type: "budget" as const } }))
    )

  return Effect.fnUntraced(function* (customerId: number, now: Instant) {
    const { webhooks, expiring, credits } = yield* store.facts(customerId, now)
    const { wallet, quota, prices } = yield* summaries.read(customerId, null)
    const { outage, openAlarms } = yield* guard.state(customerId)
    const down: ReadonlyArray<AlertCondition> =
      outage === null
        ? []
        : [
            {
              kind: "channel_down",
              subject: { type: "channel", id: outage.channel, name: outage.channel },
              counts: {}
            }
          ]
    return [
      ...(yield* concerns.read(customerId, now)).flatMap(concernCondition),
      ...down,
      ...guardConditions(openAlarms),
      ...webhookConditions(webhooks, now),
      ...expiryConditions(expiring, now),
      ...creditConditions(credits),
      ...moneyConditions({ wallet, quota, prices }, quota === null ? "" : monthOf(quota.resetsAt)),
      ...(yield* budget(customerId, now)),
      ...(yield* wholeConversion(customerId)),
      ...(yield* channelConversion(customerId))
    ]
  })
})

/** Work that is due for longer waits for a reason. */
const LATE_MILLIS = 5 * MINUTE_MILLIS

/** What concerns those who run the installation: no customer's own affairs, except how many are under attack. */
const makeOfInstallation = Effect.gen(function* () {
  const store = yield* AlertStore
  const concerns = yield* SetUpConcerns
  const health = yield* HealthReports

  return Effect.fnUntraced(function* (now: Instant) {
    const { timers } = yield* health.read(now)
    const late = timers.flatMap(({ oldestAt, count }) =>
      oldestAt !== null && now - oldestAt >= LATE_MILLIS ? [{ oldestAt, count }] : []
    )
    const oldestAt = Math.min(...late.map((each) => each.oldestAt))
    const { credits, alarmed } = yield* store.facts(PLATFORM, now)
    const subject = { type: "installation" as const, id: "installation", name: null }
    const found: ReadonlyArray<AlertCondition> = [
      ...(yield* concerns.read(null, now)).flatMap(concernCondition),
      ...creditConditions(credits),
      ...(alarmed === 0 ? [] : [{ kind: "guard_alarm" as const, subject, counts: { customers: alarmed } }]),
      ...(late.length === 0
        ? []
        : [
            {
              kind: "work_late" as const,
              subject,
              counts: {
                timers: late.reduce((sum, { count }) => sum + count, 0),
                minutes: Math.floor((now - oldestAt) / MINUTE_MILLIS)
              }
            }
          ])
    ]
    return found
  })
})

/** What people should know of now, read from what is kept anyway: sends pay nothing for it. */
export class AlertConditions extends Context.Service<
  AlertConditions,
  {
    /** Each once; of the installation, for customer 0. */
    readonly read: (customerId: number, now: Instant) => Effect.Effect<ReadonlyArray<AlertCondition>>
  }
>()("peyk/services/alert/AlertConditions") {
  static readonly layer = Layer.effect(
    AlertConditions,
    Effect.gen(function* () {
      const ofCustomer = yield* makeOfCustomer
      const ofInstallation = yield* makeOfInstallation
      return AlertConditions.of({
        read: (customerId, now) =>
          Effect.map(customerId === PLATFORM ? ofInstallation(now) : ofCustomer(customerId, now), distinct)
      })
    })
  )
}
