import { Cache, Clock, Context, Duration, Effect, Exit, Layer, Option } from "effect"
import { HOUR_MILLIS, type Instant } from "../../domain/Instant.ts"
import { maskPhone } from "../../domain/Phone.ts"
import { idAt, instantOf } from "../../domain/Paging.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import type { Alarm, CodeCounts } from "../../domain/guard/Alarm.ts"
import { BOMBED_ALARM_MILLIS } from "../../domain/guard/Bombing.ts"
import { budgetOf, leastBudget, PROBATION_BUDGET } from "../../domain/guard/CodeBudget.ts"
import {
  CALM_ROUND_MILLIS,
  IDLE_ROUND_MILLIS,
  JUDGING_DELAY_AGE_MILLIS,
  judgingDelayOf,
  platformConversion,
  roundAt,
  usualPerHour,
  WATCHFUL_ROUND_MILLIS
} from "../../domain/guard/Conversion.ts"
import {
  CUSTOMER_SEGMENT,
  type Segment,
  segmentName,
  segmentsOf,
  type SegmentState,
  WHOLE
} from "../../domain/guard/Segments.ts"
import { endedAlarms } from "../../domain/guard/Verdict.ts"
import {
  type CustomerState,
  withRefusals,
  newCustomerState,
  offProbation,
  released,
  releasedCustomer
} from "../../domain/guard/CustomerState.ts"
import { type Outage, outageOf, trafficOfOthers } from "../../domain/guard/Outage.ts"
import { isOfMost, judge, type Round } from "../../domain/guard/Round.ts"
import { GuardCeiling, GuardMetrics } from "./Guard.ts"
import {
  GuardStore,
  type OpenStoredAlarm,
  type ReadCode,
  type RoundResult,
  type RoundSource
} from "./GuardStore.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { Timers } from "../timer/Timers.ts"

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

/** Older codes are not judged any more: the process was down. */
const MAX_AGE_MILLIS = 2 * HOUR_MILLIS

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
    until: now + BOMBED_ALARM_MILLIS
  }))
  if (outage === null || open.some(({ reason }) => reason === "outage")) return alarms
  const until = now + MAX_AGE_MILLIS
  return [...alarms, { ...common, ...CUSTOMER_SEGMENT, reason: "outage", action: null, until }]
}

/** The budgets of segments that are not at the least. */
const budgetsOf = (
  customer: CustomerState,
  segments: Round["segments"],
  raised: ReadonlyArray<Alarm>,
  known: ReadonlyMap<string, SegmentState>,
  wasOnProbation: boolean,
  now: Instant
): RoundResult["budgets"] => {
  const budgets = new Map<string, { budget: number; restarts: boolean }>()
  const ofMost = (segment: Segment, state: SegmentState) =>
    isOfMost(customer, segment, state) ? budgetOf(WHOLE.all, usualPerHour(customer.self.profile, now)) : 0
  const note = (segment: Segment, state: SegmentState, isStored: boolean) => {
    const { profile, onProbation } = state
    const own = budgetOf(segment, usualPerHour(profile, now))
    // What the customer's two budgets for all let pass, a network of most users does not refuse.
    const budget = onProbation ? PROBATION_BUDGET : Math.max(own, 2 * ofMost(segment, state))
    if (budget !== leastBudget(segment) || isStored) {
      budgets.set(segmentName(segment), { budget, restarts: false })
    }
  }
  note(WHOLE.all, customer.self, true)
  note(WHOLE.common, customer.self, wasOnProbation)
  // An attack on others is no reason to refuse known networks.
  const calm = { ...customer.self, onProbation: false }
  note(WHOLE.known, calm, false)
  note(WHOLE.vouched, calm, false)
  for (const [name, { segment, state }] of segments) {
    note(segment, state, known.get(name)?.onProbation ?? false)
  }
  for (const alarm of raised) {
    if (alarm.reason !== "unverified") continue
    for (const segment of alarm.kind === "customer" ? [WHOLE.all, WHOLE.common] : [alarm]) {
      budgets.set(segmentName(segment), { budget: PROBATION_BUDGET, restarts: true })
    }
  }
  return budgets
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

const PLATFORM_AGE = Duration.minutes(10)
/** Every round of a customer sees later traffic of the others. */
const OTHERS_AGE = Duration.millis(WATCHFUL_ROUND_MILLIS)

/** Of all customers, read once for the rounds of this process. What could not be read is read again. */
const makeOfAll = <A>(age: Duration.Duration, read: Effect.Effect<A>) =>
  Effect.map(
    Cache.makeWith<"all", A>(() => read, {
      capacity: 1,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? age : 0)
    }),
    (cache) => Cache.get(cache, "all")
  )

const makePlatformOutage = Effect.gen(function* () {
  const store = yield* GuardStore
  const lately = Effect.map(Effect.flatMap(Clock.currentTimeMillis, store.largest), trafficOfOthers)
  const others = yield* makeOfAll(OTHERS_AGE, lately)
  return Effect.fnUntraced(function* (customerId: number, { self, outage }: CustomerState, now: Instant) {
    if (self.score < WATCHFUL_SCORE && outage === null) return null
    const { recent, usual } = (yield* others)(customerId)
    return outageOf(null, recent, usual, now)
  })
})

/** The segments of the codes of a round, and of the alarms that it ends. */
const segmentsIn = ({ codes, over }: RoundStart) =>
  new Map(
    [...codes.flatMap((code) => segmentsOf(code.prefix, code)), ...over].map((segment) => [
      segmentName(segment),
      { kind: segment.kind, key: segment.key }
    ])
  )

/** Judges the codes of a round, and releases the segments whose block is over. */
const makeJudgeCodes = Effect.gen(function* () {
  const store = yield* GuardStore
  const platformOutage = yield* makePlatformOutage
  const platform = yield* makeOfAll(PLATFORM_AGE, Effect.map(store.platform, platformConversion))

  return Effect.fnUntraced(function* (start: RoundStart, now: Instant) {
    const { customerId, state, codes, over, open } = start
    const known = yield* store.segments(customerId, [...segmentsIn(start).values()])
    const round = judge(
      {
        customer: state,
        segments: known,
        alarmed: new Set(open.filter(({ reason }) => reason === "unverified").map(segmentName)),
        platform: yield* platform,
        platformOutage: yield* platformOutage(customerId, state, now)
      },
      codes
    )
    return { known, round, ...releaseAll(round, known, over, now) }
  })
})

/** From this score on, the guard also looks at the other customers, and runs more rounds. */
const WATCHFUL_SCORE = 3

const isWatchful = (customer: CustomerState, segments: Round["segments"], isAlarmed: boolean): boolean =>
  isAlarmed ||
  customer.outage !== null ||
  customer.self.score >= WATCHFUL_SCORE ||
  [...segments.values()].some(({ state }) => state.score >= WATCHFUL_SCORE)

/** The least time until the next round. */
const pauseAfter = (customer: CustomerState, segments: Round["segments"], isAlarmed: boolean): number =>
  isWatchful(customer, segments, isAlarmed) ? WATCHFUL_ROUND_MILLIS : CALM_ROUND_MILLIS

/** When the next round of a customer is due, at the soonest after `pause`. */
const makeNextAt = Effect.gen(function* () {
  const store = yield* GuardStore
  return Effect.fnUntraced(function* (
    { customerId, judgedUntil, state: { judgingDelayMillis } }: RoundStart,
    pause: number,
    alarms: ReadonlyArray<Pick<Alarm, "reason" | "until">>,
    now: Instant
  ) {
    const next = yield* store.nextSentAt(customerId, judgedUntil)
    const codeDueAt = Option.match(next, {
      onNone: () => now + IDLE_ROUND_MILLIS,
      onSome: (sentAt) => Math.max(sentAt + judgingDelayMillis, now + pause)
    })
    // An outage ends when codes are verified again, whatever its alarm says, and holds alarms open until then.
    const ends = alarms.flatMap(({ reason, until }) => (reason === "outage" || until <= now ? [] : [until]))
    return roundAt(Math.max(now, Math.min(codeDueAt, ...ends)))
  })
})

/** A round with more codes judges a sample of them: enough for every test, and no round costs more. */
const SAMPLE_CODES = 1000

/** A customer as a round finds it, with the codes to judge. */
interface RoundStart {
  readonly customerId: number
  readonly state: CustomerState
  readonly codes: ReadonlyArray<ReadCode>
  readonly judgedUntil: string
  /** The alarms whose time is over, and the others. */
  readonly over: ReadonlyArray<OpenStoredAlarm>
  readonly open: ReadonlyArray<OpenStoredAlarm>
}

/** The state with what was refused since the last round; off probation if the customer is not blocked. */
const countRefusals = (state: CustomerState, source: RoundSource, now: Instant): CustomerState => {
  const isBlocked = source.alarms.some(({ kind, reason }) => kind === "customer" && reason === "unverified")
  const counted = { ...state, refusals: withRefusals(state.refusals, source.refusedWhole, now) }
  return isBlocked ? counted : offProbation(counted, now)
}

const makeWithJudgingDelay = Effect.gen(function* () {
  const store = yield* GuardStore
  return Effect.fnUntraced(function* (customerId: number, state: CustomerState, now: Instant) {
    if (now - state.judgingDelayAt < JUDGING_DELAY_AGE_MILLIS) return state
    const measured = yield* store.timeToVerify(customerId, now)
    const judgingDelayMillis = Option.match(measured, {
      onNone: () => state.judgingDelayMillis,
      onSome: judgingDelayOf
    })
    return { ...state, judgingDelayMillis, judgingDelayAt: now }
  })
})

/** Reads what a round needs to begin. */
const makeStartRound = Effect.gen(function* () {
  const store = yield* GuardStore
  const withJudgingDelay = yield* makeWithJudgingDelay

  return Effect.fnUntraced(function* (customerId: number, source: RoundSource, now: Instant) {
    const measured = yield* withJudgingDelay(customerId, source.state ?? newCustomerState(now), now)
    const state = countRefusals(measured, source, now)
    const { judgingDelayMillis } = state
    const oldest = idAt(now - MAX_AGE_MILLIS)
    const from = source.judgedUntil === null || source.judgedUntil < oldest ? oldest : source.judgedUntil
    const until = now - judgingDelayMillis
    const codes = yield* store.dueCodes({ customerId, from, until, judgingDelayMillis, sample: SAMPLE_CODES })
    const over = endedAlarms(source.alarms, state.outage !== null, now)
    const start: RoundStart = {
      customerId,
      state,
      codes,
      judgedUntil: idAt(Math.max(until, instantOf(from))),
      over,
      open: source.alarms.filter((alarm) => !over.includes(alarm))
    }
    return start
  })
})

const makeRounds = Effect.gen(function* () {
  const startRound = yield* makeStartRound
  const judgeCodes = yield* makeJudgeCodes
  const nextAt = yield* makeNextAt

  return Effect.fnUntraced(function* (customerId: number, source: RoundSource, now: Instant) {
    const start = yield* startRound(customerId, source, now)
    const { judgedUntil, codes, over, open } = start
    const { known, round, customer, segments } = yield* judgeCodes(start, now)
    const raised = [...round.alarms, ...furtherAlarms(codes, customer.outage, open, now)]
    const ended = customer.outage === null ? source.alarms.filter(({ reason }) => reason === "outage") : []
    const stillOpen = [...open.filter((alarm) => !ended.includes(alarm)), ...raised]
    const pause = pauseAfter(customer, segments, stillOpen.length > 0)
    const result: RoundResult = {
      customer,
      judgedFrom: source.judgedUntil,
      judgedUntil,
      segments,
      credits: round.credits,
      budgets: budgetsOf(
        customer,
        segments,
        round.alarms,
        known,
        source.state?.self.onProbation === true,
        now
      ),
      raised,
      cleared: [...over, ...ended],
      days: daysOf(codes),
      enforced: source.mode === "enforcing",
      nextAt: yield* nextAt(start, pause, stillOpen, now),
      now
    }
    return result
  })
})

/** Judges codes, customer by customer, when their time to be verified is over. */
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
      const makeRound = yield* makeRounds

      const runRound = Effect.fnUntraced(function* (timer: DueTimer) {
        const now = yield* Clock.currentTimeMillis
        const idle = timerStore.release(timer, now + IDLE_ROUND_MILLIS)
        if (isOff) return yield* idle
        const source = yield* store.source(timer.customerId)
        if (source.mode === "off") return yield* idle
        const result = yield* makeRound(timer.customerId, source, now)
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
