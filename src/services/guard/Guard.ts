import { Array as Arr, Clock, Context, Effect, Layer } from "effect"
import type { Client, HashedClient } from "../../domain/people/Client.ts"
import type { GuardMode } from "../../domain/guard/GuardSettings.ts"
import type { GuardAction } from "../../domain/guard/Ladder.ts"
import { type ClientTraces, NO_TRACES, type Segment } from "../../domain/guard/Segments.ts"
import { budgetsTaken, type Mark } from "../../domain/guard/round/Mark.ts"
import { type AskedCode, type Verdict, verdictOf } from "../../domain/guard/Verdict.ts"
import { BlockedPhone, SuspectedFraud } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Phone } from "../../domain/Phone.ts"
import type { Route } from "../../domain/routing/Route.ts"
import type { CustomerSetUp } from "../customer/Customers.ts"
import { BudgetAlarms } from "./BudgetAlarms.ts"
import { type BudgetUse, CodeBudgets } from "./CodeBudgets.ts"
import { GuardMetrics } from "./GuardMetrics.ts"
import { GuardRefusals } from "./GuardRefusals.ts"
import { GuardStore, type Standing } from "./GuardStore.ts"
import { GuardWakes } from "./GuardWakes.ts"
import { Networks } from "./Networks.ts"

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
  /** The mark to store with the code. */
  readonly mark: Mark | null
  /** How many customers may send to the phone within ten minutes; 0: they are not counted. */
  readonly callersLimit: number
}

/** The customers that make a phone bombed. */
export const BOMBED_BY = 5
/** Counted, and never reached. */
const NO_CALLERS_LIMIT = 32_000

/** The most that the operator allows: `enforcing` leaves it to each customer. */
export const GuardCeiling = Context.Reference<GuardMode>("peyk/services/guard/Guard/GuardCeiling", {
  defaultValue: () => "enforcing"
})

/** Decides whether a code may be sent, to stop pumping, bombing and guessing. */
export class Guard extends Context.Service<
  Guard,
  {
    readonly admit: (request: GuardRequest) => Effect.Effect<Admitted, BlockedPhone | SuspectedFraud>
    /** Too many customers send to this phone. True if this customer may send all the same. */
    readonly passesBombed: (request: GuardRequest) => Effect.Effect<boolean>
    /**
     * The code that was admitted with this mark is not sent after all, and uses no budget: else requests that limits refuse
     * would use up a customer's.
     */
    readonly giveBack: (request: GuardRequest, mark: Mark | null) => void
  }
>()("peyk/services/guard/Guard") {
  /** Lets everything pass and counts nothing. */
  static readonly layerOff = Layer.succeed(
    Guard,
    Guard.of({
      admit: ({ route }) => Effect.succeed({ route, mark: null, callersLimit: 0 }),
      passesBombed: () => Effect.succeed(true),
      giveBack: () => {}
    })
  )

  /** As each customer has set it. */
  static readonly layer = Layer.effect(
    Guard,
    Effect.suspend(() => makeGuard((mode) => mode))
  )

  /** As the operator has set it. */
  static readonly layerConfigured = Layer.unwrap(
    Effect.map(GuardCeiling, (ceiling) => {
      if (ceiling === "off") return Guard.layerOff
      return ceiling === "record" ? Guard.layerRecord : Guard.layer
    })
  )

  /** Refuses nobody but who is on a deny list, whatever customers have set. */
  static readonly layerRecord = Layer.effect(
    Guard,
    Effect.suspend(() => makeGuard((mode) => (mode === "enforcing" ? "record" : mode)))
  )
}

type Judged = Extract<Verdict, { readonly _tag: "Judged" }>

/** The route without SMS; null if nothing is left. */
const withoutSms = (route: Route): Route | null => {
  const left = route.filter(({ channel }) => channel !== "sms")
  return Arr.isReadonlyArrayNonEmpty(left) ? left : null
}

const tracesOf = ({ hashed }: GuardRequest): ClientTraces =>
  hashed === null ? NO_TRACES : { network: hashed.network ?? null, device: hashed.device ?? null }

const stronger = (route: Route, action: GuardAction | null): GuardAction | null =>
  action === "no_sms" && withoutSms(route) === null ? "refuse" : action

/** The decision of enforcing on a code. */
interface Decision {
  readonly action: GuardAction | null
  readonly mark: Mark | null
  /** Why it is refused. */
  readonly reason: "alarm" | "budget"
  /** It is refused only because the customer as a whole is suspicious. */
  readonly isWhole: boolean
}

const NO_MARK: Decision = { action: null, mark: null, reason: "alarm", isWhole: false }
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

/** The budgets of all segments but that of the customer as a whole. */
const partsOf = (use: BudgetUse): BudgetUse => ({
  ...use,
  segments: use.segments.filter(({ kind }) => kind !== "customer")
})

const makeGuard = Effect.fnUntraced(function* (modeOf: (set: GuardMode) => GuardMode) {
  const clock = yield* Clock.Clock
  const networks = yield* Networks
  const budgets = yield* CodeBudgets
  const alarms = yield* BudgetAlarms
  const store = yield* GuardStore
  const refusals = yield* GuardRefusals
  const wakes = yield* GuardWakes
  const metrics = yield* GuardMetrics
  const takeRecordedLook = makeRecordedLooks()

  const useOf = ({ customer }: GuardRequest, { counted }: Judged): BudgetUse => ({
    customerId: customer.customerId,
    segments: counted,
    budget: customer.guard.unverifiedHour
  })

  const lookAt = (
    { customer: { customerId }, phone }: GuardRequest,
    { network }: ClientTraces,
    isEnforced: boolean,
    now: Instant
  ) =>
    isEnforced || takeRecordedLook(now)
      ? Effect.catchCause(store.standing({ customerId, phone, network, now }), () => Effect.succeed(UNKNOWN))
      : Effect.succeed(UNKNOWN)

  /**
   * Decides on a code as enforcing would. Alarms and the budget of the customer as a whole spare networks known as good:
   * else an attack from others would refuse their users. Such a code still takes from the budgets of its other segments.
   */
  const decide = Effect.fnUntraced(function* (
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

  const recorded = ({ route }: GuardRequest, { action, mark }: Decision): Admitted => {
    if (action !== null) metrics.flagged(action)
    return { route, mark: action ?? mark, callersLimit: NO_CALLERS_LIMIT }
  }

  const enforced = ({ customer, route }: GuardRequest, { action, mark, reason, isWhole }: Decision) => {
    if (action === "refuse") {
      refusals.count(customer.customerId, isWhole ? "whole" : "refused")
      metrics.refused(reason)
      return Effect.fail(new SuspectedFraud())
    }
    if (action === null) return Effect.succeed({ route, mark, callersLimit: BOMBED_BY })
    metrics.refused("no_sms")
    return Effect.succeed({ route: withoutSms(route) ?? route, mark, callersLimit: BOMBED_BY })
  }

  const denied = (request: GuardRequest) => {
    refusals.count(request.customer.customerId, "denied")
    metrics.refused("deny_list")
    return new BlockedPhone()
  }

  const askedCode = ({ phone, client }: GuardRequest, traces: ClientTraces): AskedCode => ({
    phone,
    ip: client?.ip ?? null,
    isTrusted: client?.trusted === true,
    traces
  })

  const admit = (request: GuardRequest): Effect.Effect<Admitted, BlockedPhone | SuspectedFraud> =>
    Effect.suspend((): Effect.Effect<Admitted, BlockedPhone | SuspectedFraud> => {
      const { customer, route } = request
      const { customerId, guard } = customer
      const mode = modeOf(guard.mode)
      const traces = mode === "off" ? NO_TRACES : tracesOf(request)
      const now = clock.currentTimeMillisUnsafe()
      const verdict = verdictOf(guard, askedCode(request, traces), networks.isIn, now)
      if (verdict._tag === "Denied") return denied(request)
      if (mode === "off") return Effect.succeed({ route, mark: null, callersLimit: 0 })
      wakes.sent(customerId, now)
      if (verdict._tag === "Exempt") {
        return Effect.succeed({
          route,
          mark: "exempt" as const,
          callersLimit: NO_CALLERS_LIMIT
        })
      }
      const isEnforced = mode === "enforcing"
      const answer = (decision: Decision) =>
        isEnforced ? enforced(request, decision) : Effect.succeed(recorded(request, decision))
      if (verdict.action === null && budgets.takeAtHand(useOf(request, verdict), now)) return answer(NO_MARK)
      return Effect.flatMap(decide(request, verdict, traces, isEnforced, now), answer)
    })

  const giveBack = (request: GuardRequest, mark: Mark | null) => {
    const now = clock.currentTimeMillisUnsafe()
    const verdict = verdictOf(
      request.customer.guard,
      askedCode(request, tracesOf(request)),
      networks.isIn,
      now
    )
    if (verdict._tag !== "Judged") return
    const use = useOf(request, verdict)
    const taken = budgetsTaken(mark)
    if (taken !== "none") budgets.giveBack(taken === "all" ? use : partsOf(use), now)
  }

  const passesBombed = Effect.fnUntraced(function* ({ customer: { customerId }, phone }: GuardRequest) {
    const now = clock.currentTimeMillisUnsafe()
    const { isProven } = yield* store.standing({ customerId, phone, network: null, now })
    if (isProven) return true
    refusals.count(customerId, "refused")
    metrics.refused("bombed")
    yield* store.bombed(customerId, phone, now)
    return false
  })

  return Guard.of({ admit, passesBombed, giveBack })
})
