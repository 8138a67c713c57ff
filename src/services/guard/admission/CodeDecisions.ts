import { Array as Arr, Effect } from "effect"
import type { GuardAction } from "../../../domain/guard/Ladder.ts"
import type { Mark } from "../../../domain/guard/Mark.ts"
import type { ClientTraces, Segment } from "../../../domain/guard/Segments.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { Route } from "../../../domain/routing/Route.ts"
import { BudgetAlarms } from "../BudgetAlarms.ts"
import { CodeBudgets } from "../CodeBudgets.ts"
import { GuardStore, type Standing } from "../GuardStore.ts"
import { type GuardRequest, type Judged, partsOf, useOf } from "./GuardRequest.ts"

/** The route without SMS; null if nothing is left. */
export const withoutSms = (route: Route): Route | null => {
  const left = route.filter(({ channel }) => channel !== "sms")
  return Arr.isReadonlyArrayNonEmpty(left) ? left : null
}

const stronger = (route: Route, action: GuardAction | null): GuardAction | null =>
  action === "no_sms" && withoutSms(route) === null ? "refuse" : action

/** The decision of enforcing on a code. */
export interface Decision {
  readonly action: GuardAction | null
  readonly mark: Mark | null
  /** Why it is refused. */
  readonly reason: "alarm" | "budget"
  /** It is refused only because the customer as a whole is suspicious. */
  readonly isWhole: boolean
}

export const NO_MARK: Decision = { action: null, mark: null, reason: "alarm", isWhole: false }
const EXEMPT: Decision = { ...NO_MARK, mark: "exempt" }
const KNOWN: Decision = { ...NO_MARK, mark: "known" }

/** Whether only the customer as a whole is suspicious, and not what the code has in common with fewer others. */
const isCustomerOnly = (segments: ReadonlyArray<Segment>): boolean =>
  segments.every(({ kind }) => kind === "customer")

const refusal = (reason: Decision["reason"], segments: ReadonlyArray<Segment>): Decision => ({
  action: "refuse",
  mark: null,
  reason,
  isWhole: isCustomerOnly(segments)
})

/** Recording must not slow an attacked customer down: beyond this, the round alone judges a flag. */
export const RECORDED_LOOKS_PER_SECOND = 50
const SECOND_MILLIS = 1000

/** Takes a recorded look; false if this second has had enough of them. */
const makeRecordedLooks = () => {
  let second = 0
  let left = 0
  return (now: Instant): boolean => {
    const current = Math.floor(now / SECOND_MILLIS)
    if (current !== second) left = RECORDED_LOOKS_PER_SECOND
    second = current
    left -= 1
    return left >= 0
  }
}

const UNKNOWN: Standing = { isProven: false, isGoodNetwork: false }

/** Looks up what is known of a phone and its network: always if the guard enforces, else as often as is allowed. */
const makeLookAt = Effect.gen(function* () {
  const store = yield* GuardStore
  const takeRecordedLook = makeRecordedLooks()
  return (
    { customer: { customerId }, phone }: GuardRequest,
    { network }: ClientTraces,
    isEnforced: boolean,
    now: Instant
  ) =>
    isEnforced || takeRecordedLook(now)
      ? Effect.catchCause(store.standing({ customerId, phone, network, now }), () => Effect.succeed(UNKNOWN))
      : Effect.succeed(UNKNOWN)
})

/**
 * Decides on a code as enforcing would. Alarms and the budget of the customer as a whole spare networks known as good:
 * else an attack from others would refuse their users. Such a code still takes from the budgets of its other segments.
 */
export const makeDecide = Effect.gen(function* () {
  const budgets = yield* CodeBudgets
  const alarms = yield* BudgetAlarms
  const lookAt = yield* makeLookAt

  return Effect.fnUntraced(function* (
    request: GuardRequest,
    verdict: Judged,
    traces: ClientTraces,
    isEnforced: boolean,
    now: Instant
  ) {
    const alarm = stronger(request.route, verdict.action)
    const use = useOf(request, verdict)
    if (alarm !== null) budgets.forget({ ...use, segments: verdict.alarmed }, now)
    const look = alarm === null ? null : yield* lookAt(request, traces, isEnforced, now)
    if (look?.isProven === true) return EXEMPT
    const isSpared = look?.isGoodNetwork === true && isCustomerOnly(verdict.alarmed)
    if (alarm === "refuse" && !isSpared) return refusal("alarm", verdict.alarmed)
    const passes: Decision = isSpared ? KNOWN : { ...NO_MARK, action: alarm }
    if (verdict.counted.length === 0) return passes

    const empty = yield* budgets.take(isSpared ? partsOf(use) : use, now)
    if (empty.length === 0) return passes
    const { isProven, isGoodNetwork } = look ?? (yield* lookAt(request, traces, isEnforced, now))
    if (isProven) return EXEMPT
    const refusing = isGoodNetwork && isCustomerOnly(empty) ? yield* budgets.take(partsOf(use), now) : empty
    if (refusing.length === 0) return KNOWN
    alarms.usedUp(use, refusing, isEnforced, now)
    return refusal("budget", refusing)
  })
})
