import { Array as Arr, Clock, Context, Effect, Layer } from "effect"
import type { Client, HashedClient } from "../../domain/people/Client.ts"
import type { GuardMode } from "../../domain/guard/GuardSettings.ts"
import type { GuardAction } from "../../domain/guard/Ladder.ts"
import { type ClientTraces, NO_TRACES, type Segment } from "../../domain/guard/Segments.ts"
import type { Mark } from "../../domain/guard/Mark.ts"
import { type AskedCode, type Verdict, verdictOf } from "../../domain/guard/Verdict.ts"
import { BlockedPhone, SuspectedFraud } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Phone } from "../../domain/Phone.ts"
import type { Route } from "../../domain/routing/Route.ts"
import type { CustomerSetUp } from "../customer/Customers.ts"
import { CodeBudgets } from "./CodeBudgets.ts"
import { GuardMetrics } from "./GuardMetrics.ts"
import { GuardRefusals } from "./GuardRefusals.ts"
import { GuardStore } from "./GuardStore.ts"
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
  /** Without SMS, where the guard says so. */
  readonly route: Route
  /** To be stored with the code. */
  readonly mark: Mark | null
  /** So many customers may send to the phone within ten minutes; 0: they are not counted. */
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

/** Stands against pumping, bombing and guessing: decides whether a code may be sent. */
export class Guard extends Context.Service<
  Guard,
  {
    readonly admit: (request: GuardRequest) => Effect.Effect<Admitted, BlockedPhone | SuspectedFraud>
    /** Too many customers send to this phone. True if this customer may send all the same. */
    readonly passesBombed: (request: GuardRequest) => Effect.Effect<boolean>
  }
>()("peyk/services/guard/Guard") {
  /** Lets everything pass and counts nothing. */
  static readonly layerOff = Layer.succeed(
    Guard,
    Guard.of({
      admit: ({ route }) => Effect.succeed({ route, mark: null, callersLimit: 0 }),
      passesBombed: () => Effect.succeed(true)
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

/** Whether only the customer as a whole is suspicious, and not what the code has in common with fewer others. */
const isCustomerOnly = (segments: ReadonlyArray<Segment>): boolean =>
  segments.every(({ kind }) => kind === "customer")

const makeGuard = Effect.fnUntraced(function* (modeOf: (set: GuardMode) => GuardMode) {
  const clock = yield* Clock.Clock
  const networks = yield* Networks
  const budgets = yield* CodeBudgets
  const store = yield* GuardStore
  const refusals = yield* GuardRefusals
  const wakes = yield* GuardWakes
  const metrics = yield* GuardMetrics

  const useOf = ({ customer }: GuardRequest, { segments }: Judged) => ({
    customerId: customer.customerId,
    segments,
    budget: customer.guard.unverifiedHour
  })

  const recorded = (request: GuardRequest, verdict: Judged, now: Instant): Admitted => {
    const isEmpty = !verdict.isOutage && budgets.take(useOf(request, verdict), now).length > 0
    const flag = isEmpty ? "refuse" : (stronger(request.route, verdict.action) ?? undefined)
    if (flag !== undefined) metrics.flagged(flag)
    return { route: request.route, mark: flag ?? null, callersLimit: NO_CALLERS_LIMIT }
  }

  const refuse = (request: GuardRequest, reason: "alarm" | "budget") => {
    refusals.count(request.customer.customerId, "refused")
    metrics.refused(reason)
    return new SuspectedFraud()
  }

  /** Looks at who asks once more, before a code is refused or sent without SMS. */
  const secondLook = Effect.fnUntraced(function* (
    request: GuardRequest,
    traces: ClientTraces,
    isCustomersOnly: boolean,
    now: Instant
  ) {
    const { customer, phone } = request
    const { customerId } = customer
    const { isProven, isGoodNetwork } = yield* store.standing({
      customerId,
      phone,
      network: traces.network,
      now
    })
    return isProven || (isCustomersOnly && isGoodNetwork)
  })

  const enforced = Effect.fnUntraced(function* (
    request: GuardRequest,
    verdict: Judged,
    traces: ClientTraces,
    now: Instant
  ) {
    const { route } = request
    const exempt = { route, mark: "exempt" as const, callersLimit: BOMBED_BY }
    const action = stronger(route, verdict.action)
    const use = useOf(request, verdict)
    if (action !== null) {
      budgets.forget({ ...use, segments: verdict.alarmed })
      if (yield* secondLook(request, traces, isCustomerOnly(verdict.alarmed), now)) return exempt
      if (action === "refuse") return yield* refuse(request, "alarm")
    }
    const empty = verdict.isOutage ? [] : yield* budgets.takeSure(use, now)
    if (empty.length > 0) {
      if (yield* secondLook(request, traces, isCustomerOnly(empty), now)) return exempt
      return yield* refuse(request, "budget")
    }
    if (action !== null) metrics.refused("no_sms")
    return {
      route: action === null ? route : (withoutSms(route) ?? route),
      mark: null,
      callersLimit: BOMBED_BY
    }
  })

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
      return mode === "record"
        ? Effect.succeed(recorded(request, verdict, now))
        : enforced(request, verdict, traces, now)
    })

  const passesBombed = Effect.fnUntraced(function* ({ customer, phone }: GuardRequest) {
    const now = clock.currentTimeMillisUnsafe()
    const { customerId } = customer
    const { isProven } = yield* store.standing({ customerId, phone, network: null, now })
    if (isProven) return true
    refusals.count(customerId, "refused")
    metrics.refused("bombed")
    yield* store.bombed(customerId, phone, now)
    return false
  })

  return Guard.of({ admit, passesBombed })
})
