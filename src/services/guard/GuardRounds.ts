import { Cache, Clock, Context, Duration, Effect, Layer, Option } from "effect"
import type { Alarm } from "../../domain/guard/Alarm.ts"
import { budgetOf, leastBudget, PROBATION_BUDGET } from "../../domain/guard/round/CodeBudget.ts"
import { platformConversion, usualPerHour } from "../../domain/guard/round/Conversion.ts"
import type { CodeCounts } from "../../domain/guard/GuardReport.ts"
import { knocked } from "../../domain/guard/round/Knocks.ts"
import {
  CALM_ROUND_MILLIS,
  IDLE_ROUND_MILLIS,
  MATURITY_AGE_MILLIS,
  maturityOf,
  roundAt,
  WATCHFUL_ROUND_MILLIS
} from "../../domain/guard/Maturity.ts"
import { type CustomerState, newCustomerState } from "../../domain/guard/round/CustomerState.ts"
import { type Outage, outageOf } from "../../domain/guard/round/Outage.ts"
import { offProbation, released, releasedCustomer } from "../../domain/guard/round/Probation.ts"
import { judge, type Round } from "../../domain/guard/round/Round.ts"
import { CUSTOMER_SEGMENT, type Segment, segmentName, segmentsOf } from "../../domain/guard/Segments.ts"
import type { SegmentState } from "../../domain/guard/round/SegmentState.ts"
import { endedAlarms } from "../../domain/guard/Verdict.ts"
import { HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { maskPhone } from "../../domain/Phone.ts"
import { idAt, instantOf } from "../../domain/TimePosition.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import { Timers } from "../timer/Timers.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { GuardCeiling } from "./Guard.ts"
import { GuardMetrics } from "./GuardMetrics.ts"
import {
  GuardStore,
  type OpenStoredAlarm,
  type ReadCode,
  type RoundResult,
  type RoundSource
} from "./GuardStore.ts"

/** A round with more codes judges a sample of them: enough for every test, and no round costs more. */
const SAMPLE_CODES = 1000
/** Older codes are not judged any more: the process was down. */
const MAX_AGE_MILLIS = 2 * HOUR_MILLIS
const PLATFORM_AGE = Duration.minutes(10)
/** From this score on, the guard also looks at the other customers, and runs more rounds. */
const WATCHFUL_SCORE = 3
const BOMBED_MILLIS = 10 * MINUTE_MILLIS

type Changed = ReadonlyMap<string, { readonly segment: Segment; readonly state: SegmentState }>

const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((all, each) => all + each, 0)

const daysOf = (codes: ReadonlyArray<ReadCode>): CodeCounts => {
  const flagged = codes.filter(({ flag, isBombed }) => flag !== null || isBombed)
  const wasted = flagged.filter(({ isVerified }) => !isVerified)
  const count = (counted: ReadonlyArray<ReadCode>) => sum(counted.map(({ weight }) => weight))
  return {
    codes: count(codes),
    verified: count(codes.filter(({ isVerified }) => isVerified)),
    flagged: count(flagged),
    flaggedVerified: count(flagged.filter(({ isVerified }) => isVerified)),
    flaggedSms: sum(wasted.map(({ sentSms, weight }) => weight * sentSms)),
    // Without SMS a code still goes over messengers.
    flaggedCharges: sum(wasted.map(({ charged, flag, weight }) => (flag === "no_sms" ? 0 : weight * charged)))
  }
}

/** Alarms that do not come from the test: phones under a bomb, and a channel that is out. */
const furtherAlarms = (
  codes: ReadonlyArray<ReadCode>,
  outage: Outage | null,
  open: ReadonlyArray<OpenStoredAlarm>,
  now: Instant
): ReadonlyArray<Alarm> => {
  const bombed = new Set(codes.filter(({ isBombed }) => isBombed).map(({ phone }) => maskPhone(phone)))
  for (const { reason, key } of open) if (reason === "bombed") bombed.delete(key)
  const common = { level: 1, startedAt: now, codes: 0, verified: 0 }
  const alarms = [...bombed].map((key): Alarm => ({
    ...common,
    kind: "phone",
    key,
    reason: "bombed",
    action: "refuse",
    until: now + BOMBED_MILLIS
  }))
  if (outage === null || open.some(({ reason }) => reason === "outage")) return alarms
  const until = now + MAX_AGE_MILLIS
  return [...alarms, { ...common, ...CUSTOMER_SEGMENT, reason: "outage", action: null, until }]
}

/** Releases the segments whose block is over. */
const releaseAll = (
  round: Pick<Round, "customer" | "segments">,
  known: ReadonlyMap<string, SegmentState>,
  over: ReadonlyArray<OpenStoredAlarm>,
  now: Instant
): Pick<Round, "customer" | "segments"> => {
  let { customer } = round
  const segments = new Map(round.segments)
  for (const alarm of over) {
    if (alarm.reason !== "unverified") continue
    const { enforced } = alarm
    const name = segmentName(alarm)
    if (alarm.kind === "customer") {
      customer = releasedCustomer(customer, enforced, now)
      continue
    }
    const state = segments.get(name)?.state ?? known.get(name)
    if (state !== undefined) {
      segments.set(name, { segment: alarm, state: released(state, enforced, now) })
    }
  }
  return { customer, segments }
}

/** The budgets of segments that are not at the least. */
const budgetsOf = (
  customer: CustomerState,
  segments: Changed,
  raised: ReadonlyArray<Alarm>,
  known: ReadonlyMap<string, SegmentState>,
  now: Instant
): RoundResult["budgets"] => {
  const budgets = new Map<string, { budget: number; restarts: boolean }>()
  const note = (segment: Segment, state: SegmentState, wasOnProbation: boolean) => {
    const usual = usualPerHour(state.profile, now)
    const budget = state.onProbation ? PROBATION_BUDGET : budgetOf(segment.kind, usual)
    if (budget !== leastBudget(segment.kind) || wasOnProbation) {
      budgets.set(segmentName(segment), { budget, restarts: false })
    }
  }
  note(CUSTOMER_SEGMENT, customer.self, true)
  for (const [name, { segment, state }] of segments) {
    note(segment, state, known.get(name)?.onProbation ?? false)
  }
  for (const alarm of raised) {
    if (alarm.reason === "unverified") {
      budgets.set(segmentName(alarm), { budget: PROBATION_BUDGET, restarts: true })
    }
  }
  return budgets
}

const isWatchful = (customer: CustomerState, segments: Changed, isAlarmed: boolean): boolean =>
  isAlarmed ||
  customer.outage !== null ||
  customer.self.score >= WATCHFUL_SCORE ||
  [...segments.values()].some(({ state }) => state.score >= WATCHFUL_SCORE)

/** Judges codes, customer by customer, when they have matured. */
export class GuardRounds extends Context.Service<
  GuardRounds,
  { readonly runTimer: (timer: DueTimer) => Effect.Effect<void> }
>()("peyk/services/guard/GuardRounds") {
  static readonly layer = Layer.effect(
    GuardRounds,
    Effect.gen(function* () {
      const store = yield* GuardStore
      const timers = yield* Timers
      const timerStore = yield* TimerStore
      const metrics = yield* GuardMetrics
      const isOff = (yield* GuardCeiling) === "off"
      const platform = yield* Cache.make<"platform", number>({
        capacity: 1,
        timeToLive: PLATFORM_AGE,
        lookup: () => Effect.map(store.platform, platformConversion)
      })

      const withMaturity = Effect.fnUntraced(function* (
        customerId: number,
        state: CustomerState,
        now: Instant
      ) {
        if (now - state.maturityAt < MATURITY_AGE_MILLIS) return state
        const measured = yield* store.timeToVerify(customerId, now)
        const maturityMillis = Option.match(measured, {
          onNone: () => state.maturityMillis,
          onSome: maturityOf
        })
        return { ...state, maturityMillis, maturityAt: now }
      })

      const platformOutage = Effect.fnUntraced(function* (
        customerId: number,
        { self, outage }: CustomerState,
        now: Instant
      ) {
        if (self.score < WATCHFUL_SCORE && outage === null) return null
        const { recent, usual } = yield* store.others(customerId, now)
        return outageOf(null, recent, usual, now)
      })

      const nextAt = Effect.fnUntraced(function* (
        customerId: number,
        from: string,
        maturityMillis: number,
        pause: number,
        alarms: ReadonlyArray<Pick<Alarm, "reason" | "until">>,
        now: Instant
      ) {
        const next = yield* store.nextSentAt(customerId, from)
        const maturesAt = Option.match(next, {
          onNone: () => now + IDLE_ROUND_MILLIS,
          onSome: (sentAt) => Math.max(sentAt + maturityMillis, now + pause)
        })
        // An outage ends when codes are verified again, whatever its alarm says, and holds alarms open until then.
        const ends = alarms.flatMap(({ reason, until }) =>
          reason === "outage" || until <= now ? [] : [until]
        )
        return roundAt(Math.max(now, Math.min(maturesAt, ...ends)))
      })

      const makeRound = Effect.fnUntraced(function* (timer: DueTimer, source: RoundSource, now: Instant) {
        const { customerId } = timer
        const measured = yield* withMaturity(customerId, source.state ?? newCustomerState(now), now)
        const isBlocked = source.alarms.some(
          ({ kind, reason }) => kind === "customer" && reason === "unverified"
        )
        const counted = { ...measured, knocks: knocked(measured.knocks, source.refusedWhole, now) }
        const state = isBlocked ? counted : offProbation(counted, now)
        const { maturityMillis } = state
        const oldest = idAt(now - MAX_AGE_MILLIS)
        const from = source.judgedUntil === null || source.judgedUntil < oldest ? oldest : source.judgedUntil
        const until = now - maturityMillis
        const codes = yield* store.matured({ customerId, from, until, maturityMillis, sample: SAMPLE_CODES })
        const judgedUntil = idAt(Math.max(until, instantOf(from)))
        const over = endedAlarms(source.alarms, state.outage !== null, now)
        const open = source.alarms.filter((alarm) => !over.includes(alarm))
        const named = new Map(
          [...codes.flatMap((code) => segmentsOf(code.prefix, code)), ...over].map((segment) => [
            segmentName(segment),
            { kind: segment.kind, key: segment.key }
          ])
        )
        const known = yield* store.segments(customerId, [...named.values()])
        const round = judge(
          {
            customer: state,
            segments: known,
            alarmed: new Set(open.filter(({ reason }) => reason === "unverified").map(segmentName)),
            platform: yield* Cache.get(platform, "platform"),
            platformOutage: yield* platformOutage(customerId, state, now)
          },
          codes
        )
        const { customer, segments } = releaseAll(round, known, over, now)
        const raised = [...round.alarms, ...furtherAlarms(codes, customer.outage, open, now)]
        const ended =
          customer.outage === null ? source.alarms.filter(({ reason }) => reason === "outage") : []
        const stillOpen = [...open.filter((alarm) => !ended.includes(alarm)), ...raised]
        const pause = isWatchful(customer, segments, stillOpen.length > 0)
          ? WATCHFUL_ROUND_MILLIS
          : CALM_ROUND_MILLIS
        const result: RoundResult = {
          customer,
          judgedUntil,
          segments,
          credits: round.credits,
          budgets: budgetsOf(customer, segments, round.alarms, known, now),
          raised,
          cleared: [...over, ...ended],
          days: daysOf(codes),
          enforced: source.mode === "enforcing",
          nextAt: yield* nextAt(customerId, judgedUntil, maturityMillis, pause, stillOpen, now),
          now
        }
        return result
      })

      const runRound = Effect.fnUntraced(function* (timer: DueTimer) {
        const now = yield* Clock.currentTimeMillis
        const idle = timerStore.release(timer, now + IDLE_ROUND_MILLIS)
        if (isOff) return yield* idle
        const source = yield* store.source(timer.customerId)
        if (source.mode === "off") return yield* idle
        const result = yield* makeRound(timer, source, now)
        const raised = yield* store.save(timer, result)
        if (raised === null) return
        metrics.judged(result.days.codes)
        for (const { reason } of raised) metrics.alarmed(reason)
        timers.wakeAt(result.nextAt)
      })

      return GuardRounds.of({
        runTimer: (timer) => Effect.catchCause(runRound(timer), timers.releaseForRetry(timer))
      })
    })
  )
}
