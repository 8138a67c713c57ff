import { Array as Arr, Effect } from "effect"
import { type Instant, SECOND_MILLIS } from "../../domain/Instant.ts"
import type { Phone } from "../../domain/Phone.ts"
import {
  type RequestedCode,
  type GuardAction,
  type OpenAlarm,
  strongest,
  type Verdict,
  type RiskReason
} from "../../domain/guard/Verdict.ts"
import {
  type ClientTraces,
  ENOUGH_NETWORKS,
  isAround,
  type Flag,
  NO_TRACES,
  type Segment,
  type Whole,
  WHOLE
} from "../../domain/guard/Segments.ts"
import type { Client, HashedClient } from "../../domain/customer/Client.ts"
import { isPlanned, type Route } from "../../domain/routing/Route.ts"
import type { CustomerSetUp } from "../customer/Customers.ts"
import { type BudgetUse, CodeBudgets } from "./CodeBudgets.ts"
import { BudgetAlarms } from "./GuardAlarms.ts"
import { GuardStore, type Reputation } from "./GuardStore.ts"

export interface GuardRequest {
  readonly customer: CustomerSetUp
  readonly phone: Phone
  readonly client: Client | undefined
  readonly hashed: HashedClient | null
  readonly route: Route
}

/** A code that may be sent. */
export interface Admitted {
  /** The route of the code; its SMS steps are left out if the guard refuses SMS only. */
  readonly route: Route
  /** The flag to store with the code. */
  readonly flag: Flag | null
  /** How many customers may send to the phone within ten minutes; 0: they are not counted. */
  readonly callersLimit: number
  /** What it took from budgets; null: nothing. */
  readonly taken: BudgetUse | null
  /** What of the customer's own codes makes it look risky; null: the guard is off. */
  readonly risk: ReadonlyArray<RiskReason> | null
}

export const tracesOf = ({ hashed }: GuardRequest): ClientTraces =>
  hashed === null ? NO_TRACES : { network: hashed.network ?? null, device: hashed.device ?? null }

type Judged = Extract<Verdict, { readonly _tag: "Judged" }>

/** The budgets that a code takes from. */
export const useOf = ({ customer }: GuardRequest, { counted }: Judged): BudgetUse => ({
  customerId: customer.customerId,
  segments: counted,
  budget: customer.guard.unverifiedHour
})

/** What a code takes from, if the /56 and the /48 around its network do not count. */
const withoutAround = (use: BudgetUse): BudgetUse => ({
  ...use,
  segments: use.segments.filter((segment) => !isAround(segment))
})

/** What a code takes from, if it takes from another budget of the customer than that for all codes. */
const useAs = (whole: Whole, use: BudgetUse): BudgetUse => {
  const { segments } = whole === "known" || whole === "vouched" ? withoutAround(use) : use
  return { ...use, segments: segments.map((segment) => (segment === WHOLE.all ? WHOLE[whole] : segment)) }
}

export const requestedCode = ({ phone, client }: GuardRequest, traces: ClientTraces): RequestedCode => ({
  phone,
  ip: client?.ip ?? null,
  isTrusted: client?.trusted === true,
  traces
})

/** The route without SMS, and without calls, which cost more; null if nothing is left that is tried by itself. */
export const withoutSms = (route: Route): Route | null => {
  const left = route.filter(({ channel }) => channel !== "sms" && channel !== "voice")
  return Arr.isReadonlyArrayNonEmpty(left) && isPlanned(left[0]) ? left : null
}

const stronger = (route: Route, action: GuardAction | null): GuardAction | null =>
  action === "no_sms" && withoutSms(route) === null ? "refuse" : action

/** The decision of enforcing on a code. */
export interface Decision {
  readonly action: GuardAction | null
  readonly flag: Flag | null
  /** Why it is refused. */
  readonly reason: "alarm" | "budget"
  /** It is refused only because the customer as a whole is suspicious. */
  readonly isWhole: boolean
  /** The budgets that it took from. */
  readonly taken: BudgetUse | null
  /** What refuses it ends then. */
  readonly until: Instant
  /** The segments whose budgets were used up, whatever passed the code. */
  readonly spent: ReadonlyArray<Segment>
}

const NO_FLAG: Decision = {
  action: null,
  flag: null,
  reason: "alarm",
  isWhole: false,
  taken: null,
  until: 0,
  spent: []
}

/** It passes, and takes from budgets. */
export const passing = (use: BudgetUse, isCommon: boolean, action: GuardAction | null = null): Decision => ({
  ...NO_FLAG,
  flag: isCommon ? "common" : null,
  action,
  taken: isCommon ? useAs("common", use) : use
})
const EXEMPT: Decision = { ...NO_FLAG, flag: "exempt" }

/** Whether only the customer as a whole is suspicious, and not what the code has in common with fewer others. */
const isCustomerOnly = (segments: ReadonlyArray<Segment>): boolean =>
  segments.every(({ kind }) => kind === "customer")

const refusal = (reason: Decision["reason"], segments: ReadonlyArray<Segment>, until: Instant): Decision => ({
  action: "refuse",
  flag: null,
  reason,
  isWhole: isCustomerOnly(segments) && !segments.includes(WHOLE.common),
  taken: null,
  until,
  spent: []
})

/** The refusal of open alarms. Where SMS is all there is, an alarm that takes it away refuses. */
const refusalByAlarms = (route: Route, alarms: ReadonlyArray<OpenAlarm>): Decision =>
  refusal(
    "alarm",
    alarms,
    Math.max(...alarms.flatMap(({ action, until }) => (stronger(route, action) === "refuse" ? [until] : [])))
  )

/** Recording must not slow an attacked customer down: beyond this, the round alone judges a flag. */
export const RECORDED_LOOKUPS_PER_SECOND = 50

/** Takes a recorded lookup; false if this second has had enough of them. */
const makeRecordedLookups = () => {
  let second = 0
  let left = 0
  return (now: Instant): boolean => {
    const current = Math.floor(now / SECOND_MILLIS)
    if (current !== second) left = RECORDED_LOOKUPS_PER_SECOND
    second = current
    left -= 1
    return left >= 0
  }
}

const UNKNOWN: Reputation = {
  isProven: false,
  network: null,
  isVerifiedNetwork: false,
  unverifiedAround: 0
}

/** Looks up what is known of a phone and its network: always if the guard enforces, else as often as is allowed. */
const makeLookUp = Effect.gen(function* () {
  const store = yield* GuardStore
  const budgets = yield* CodeBudgets
  const takeRecordedLookup = makeRecordedLookups()
  return (
    { customer: { customerId }, phone }: GuardRequest,
    { network }: ClientTraces,
    segments: ReadonlyArray<Segment>,
    isEnforced: boolean,
    now: Instant
  ) => {
    if (!isEnforced && !takeRecordedLookup(now)) return Effect.succeed(UNKNOWN)
    const around = budgets.networksAround(customerId, segments.filter(isAround))
    return Effect.catchCause(store.reputation({ customerId, phone, network, around, now }), () =>
      Effect.succeed(UNKNOWN)
    )
  }
})

/** A code that takes from budgets. */
interface Taking {
  readonly request: GuardRequest
  readonly use: BudgetUse
  readonly traces: ClientTraces
  /** What open alarms do to it. */
  readonly alarm: GuardAction | null
  /** Null: it was not looked up yet. */
  readonly look: Reputation | null
  readonly isEnforced: boolean
  readonly now: Instant
}

/**
 * Decides on a code as enforcing would. Alarms and the budget of the customer as a whole spare known networks: else an
 * attack from others would refuse their users. Such a code takes from the budget for known networks, and from those of
 * its other segments.
 */
export const makeDecide = Effect.gen(function* () {
  const budgets = yield* CodeBudgets
  const alarms = yield* BudgetAlarms
  const lookUp = yield* makeLookUp

  const refuse = ({ use, isEnforced, now }: Taking, empty: ReadonlyArray<Segment>) => {
    alarms.usedUp(use, empty, isEnforced, now)
    return refusal("budget", empty, budgets.renewedAt(use.customerId, empty, now))
  }

  const passKnown = (whole: "known" | "vouched", taking: Taking) => {
    const taken = useAs(whole, taking.use)
    return Effect.map(budgets.take(taken, taking.now), ({ empty }) =>
      empty.length === 0 ? { ...NO_FLAG, flag: whole, taken } : refuse(taking, empty)
    )
  }

  /** Takes from the budgets of a code. What is known of it is looked up only if one is used up. */
  const takeOf = Effect.fnUntraced(function* (taking: Taking): Effect.fn.Return<Decision> {
    const { use, alarm, now } = taking
    const { empty, isCommon } = yield* budgets.take(use, now)
    if (empty.length === 0) return passing(use, isCommon, alarm)
    return { ...(yield* decideEmpty(taking, empty)), spent: empty }
  })

  /** Budgets are used up, which some codes pass all the same. */
  const decideEmpty = Effect.fnUntraced(function* (
    taking: Taking,
    empty: ReadonlyArray<Segment>
  ): Effect.fn.Return<Decision> {
    const { request, use, traces, isEnforced, now } = taking
    const look = taking.look ?? (yield* lookUp(request, traces, use.segments, isEnforced, now))
    if (look.isProven) return EXEMPT
    // A /56 or /48 refuses by its budget, or because its codes count as those with much in common.
    const mayBeAround = empty.some((segment) => isAround(segment) || segment === WHOLE.common)
    const saysNothing = look.isVerifiedNetwork || look.unverifiedAround < ENOUGH_NETWORKS
    if (mayBeAround && saysNothing && use.segments.some(isAround)) {
      return yield* takeOf({ ...taking, use: withoutAround(use), look })
    }
    return look.network !== null && isCustomerOnly(empty)
      ? yield* passKnown(look.network, taking)
      : refuse(taking, empty)
  })

  return Effect.fnUntraced(function* (
    request: GuardRequest,
    verdict: Judged,
    traces: ClientTraces,
    isEnforced: boolean,
    now: Instant
  ) {
    const use = useOf(request, verdict)
    if (verdict.action !== null) budgets.forget({ ...use, segments: verdict.alarmed }, now)
    const look =
      verdict.action === null ? null : yield* lookUp(request, traces, verdict.alarmed, isEnforced, now)
    if (look?.isProven === true) return EXEMPT
    // Those around a network that verified say nothing about it.
    const alarmed =
      look?.isVerifiedNetwork === true
        ? verdict.alarmed.filter((segment) => !isAround(segment))
        : verdict.alarmed
    const alarm = stronger(request.route, strongest(alarmed))
    const spared = look !== null && alarm !== null && isCustomerOnly(alarmed) ? look.network : null
    const taking: Taking = { request, use, traces, alarm, look, isEnforced, now }
    if (spared !== null) return yield* passKnown(spared, taking)
    if (alarm === "refuse") return refusalByAlarms(request.route, alarmed)
    if (verdict.counted.length === 0) return { ...NO_FLAG, action: alarm }
    return yield* takeOf(taking)
  })
})
