import { Clock, Context, Effect, Layer } from "effect"
import { BlockedPhone, SuspectedFraud, type TooManyRequestsPhoneHour } from "../../domain/Errors.ts"
import { HOUR_MILLIS, type Instant, SECOND_MILLIS } from "../../domain/Instant.ts"
import { retryAfterSeconds } from "../../domain/customer/Admission.ts"
import type { GuardMode } from "../../domain/guard/GuardSettings.ts"
import { riskReasons, type RiskReason, recordedFlag, verdictOf } from "../../domain/guard/Verdict.ts"
import { NO_TRACES } from "../../domain/guard/Segments.ts"
import { CodeBudgets } from "./CodeBudgets.ts"
import {
  type Admitted,
  requestedCode,
  type Decision,
  type GuardRequest,
  makeDecide,
  passing,
  tracesOf,
  useOf,
  withoutSms
} from "./CodeDecisions.ts"
import { BOMBED_BY } from "../../domain/guard/Bombing.ts"
import { GuardWakes } from "./GuardAlarms.ts"
import { GuardRefusals } from "./GuardRefusals.ts"
import { GuardStore, Networks } from "./GuardStore.ts"
import { BoundedMap } from "../concurrency/Collections.ts"
import type { CustomerSetUp } from "../customer/Customers.ts"
import { counters } from "../system/Observability.ts"

const MAX_PHONES = 50_000

interface Sent {
  codes: number
  readonly until: Instant
}

/**
 * Counts each customer's codes to a phone for an hour, in this process: the store would have to be asked by each send.
 * Names are compared, not hashes: phones of other customers never count.
 */
class RecentPhones {
  readonly #sent = new BoundedMap<string, Sent>(MAX_PHONES)

  /** Counts a code, and returns how many there were before it. */
  add(customerId: number, phone: string, now: Instant): number {
    const name = `${customerId}:${phone}`
    const known = this.#sent.get(name)
    if (known === undefined || known.until <= now) {
      this.#sent.set(name, { codes: 1, until: now + HOUR_MILLIS })
      return 0
    }
    known.codes += 1
    return known.codes - 1
  }

  /** The code is not sent after all. */
  remove(customerId: number, phone: string): void {
    const known = this.#sent.get(`${customerId}:${phone}`)
    if (known !== undefined) known.codes -= 1
  }
}

/** Counted, and never reached. */
const NO_CALLERS_LIMIT = 32_000

/**
 * Whether a customer may send to a phone that is bombed: it may if the phone was verified with it, or if it cleared the
 * phone's alarm.
 */
const makePassesBombed = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const store = yield* GuardStore
  const refusals = yield* GuardRefusals
  const metrics = yield* GuardMetrics

  return Effect.fnUntraced(function* (
    { customer: { customerId }, phone }: GuardRequest,
    { retryAfterSeconds }: TooManyRequestsPhoneHour
  ) {
    const now = clock.currentTimeMillisUnsafe()
    if (yield* store.passesBombed(customerId, phone, now)) return true
    refusals.count(customerId, "refused")
    metrics.refused("bombed")
    yield* store.bombed(customerId, phone, now + retryAfterSeconds * SECOND_MILLIS, now)
    return false
  })
})

type Reasons = ReadonlyArray<RiskReason>

/** The responses to a send, by the decision. Each is counted. */
const makeResponses = Effect.gen(function* () {
  const refusals = yield* GuardRefusals
  const metrics = yield* GuardMetrics

  const recorded = ({ route }: GuardRequest, { action, flag, taken }: Decision, risk: Reasons): Admitted => {
    if (action !== null) metrics.flagged(action)
    return { route, flag: recordedFlag(action, flag), callersLimit: NO_CALLERS_LIMIT, taken, risk }
  }

  const enforced = (
    { customer, phone, route }: GuardRequest,
    { action, flag, reason, isWhole, taken, until }: Decision,
    risk: Reasons,
    now: Instant
  ) => {
    if (action === "refuse") {
      if (isWhole) refusals.countWhole(customer.customerId, phone, now)
      else refusals.count(customer.customerId, "refused")
      metrics.refused(reason)
      return Effect.fail(new SuspectedFraud({ retryAfterSeconds: retryAfterSeconds(until, now) }))
    }
    if (action === null) return Effect.succeed({ route, flag, callersLimit: BOMBED_BY, taken, risk })
    metrics.refused("no_sms")
    const left = withoutSms(route) ?? route
    return Effect.succeed({ route: left, flag, callersLimit: BOMBED_BY, taken, risk })
  }

  const denied = (request: GuardRequest) => {
    refusals.count(request.customer.customerId, "denied")
    metrics.refused("deny_list")
    return new BlockedPhone()
  }

  return { recorded, enforced, denied }
})

/** Admits codes, or refuses them, as the guard is set. */
const makeAdmit = Effect.fnUntraced(function* (modeOf: (set: GuardMode) => GuardMode, phones: RecentPhones) {
  const clock = yield* Clock.Clock
  const networks = yield* Networks
  const budgets = yield* CodeBudgets
  const wakes = yield* GuardWakes
  const decide = yield* makeDecide
  const { recorded, enforced, denied } = yield* makeResponses

  return (request: GuardRequest): Effect.Effect<Admitted, BlockedPhone | SuspectedFraud> =>
    Effect.suspend((): Effect.Effect<Admitted, BlockedPhone | SuspectedFraud> => {
      const { customer, route } = request
      const { customerId, guard } = customer
      const mode = modeOf(guard.mode)
      const traces = mode === "off" ? NO_TRACES : tracesOf(request)
      const now = clock.currentTimeMillisUnsafe()
      const verdict = verdictOf(guard, requestedCode(request, traces), networks.isIn, now)
      if (verdict._tag === "Denied") return denied(request)
      if (mode === "off")
        return Effect.succeed({ route, flag: null, callersLimit: 0, taken: null, risk: null })
      wakes.sent(customerId, now)
      const earlierCodes = phones.add(customerId, request.phone, now)
      if (verdict._tag === "Exempt") {
        return Effect.succeed({
          route,
          flag: "exempt" as const,
          callersLimit: NO_CALLERS_LIMIT,
          taken: null,
          risk: riskReasons({ alarmed: [], spent: [], earlierCodes })
        })
      }
      const isEnforced = mode === "enforcing"
      const response = (decision: Decision) => {
        const risk = riskReasons({ alarmed: verdict.suspicious, spent: decision.spent, earlierCodes })
        return isEnforced
          ? enforced(request, decision, risk, now)
          : Effect.succeed(recorded(request, decision, risk))
      }
      if (verdict.action === null) {
        const use = useOf(request, verdict)
        const { empty, isCommon } = budgets.takeAtHand(use, now)
        if (empty.length === 0) return response(passing(use, isCommon))
      }
      return decide(request, verdict, traces, isEnforced, now).pipe(
        Effect.flatMap(response),
        Effect.tapError(() => Effect.sync(() => phones.remove(customerId, request.phone)))
      )
    })
})

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
    readonly passesBombed: (
      request: GuardRequest,
      refusal: TooManyRequestsPhoneHour
    ) => Effect.Effect<boolean>
    /**
     * The code is not sent after all, and uses no budget: else requests that limits refuse would use up a customer's.
     */
    readonly giveBack: (request: GuardRequest, admitted: Pick<Admitted, "taken" | "risk">) => void
    /** Whether the guard looks at this customer's codes. */
    readonly isOn: (customer: Pick<CustomerSetUp, "guard">) => boolean
  }
>()("peyk/services/guard/Guard") {
  /** Lets everything pass and counts nothing. */
  static readonly layerOff = Layer.succeed(
    Guard,
    Guard.of({
      admit: ({ route }) => Effect.succeed({ route, flag: null, callersLimit: 0, taken: null, risk: null }),
      passesBombed: () => Effect.succeed(true),
      giveBack: () => {},
      isOn: () => false
    })
  )

  /** Does for each customer what their settings say. */
  static readonly layer = Layer.effect(
    Guard,
    Effect.suspend(() => makeGuard((mode) => mode))
  )

  /** Does for no customer more than the operator allows. */
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

const makeGuard = Effect.fnUntraced(function* (modeOf: (set: GuardMode) => GuardMode) {
  const clock = yield* Clock.Clock
  const budgets = yield* CodeBudgets
  const phones = new RecentPhones()
  return Guard.of({
    admit: yield* makeAdmit(modeOf, phones),
    passesBombed: yield* makePassesBombed,
    isOn: ({ guard }) => modeOf(guard.mode) !== "off",
    giveBack: ({ customer: { customerId }, phone }, { taken, risk }) => {
      if (risk !== null) phones.remove(customerId, phone)
      if (taken !== null) budgets.giveBack(taken, clock.currentTimeMillisUnsafe())
    }
  })
})

const reasons = ["alarm", "budget", "no_sms", "bombed", "deny_list"] as const
const alarmReasons = ["unverified", "budget", "bombed", "outage"] as const

/** The guard's metrics, for operators. */
export class GuardMetrics extends Context.Service<
  GuardMetrics,
  {
    /** Enforcing refused a code, or sent it without SMS. */
    readonly refused: (reason: (typeof reasons)[number]) => void
    /** Record only: enforcing would have done this. */
    readonly flagged: (action: "no_sms" | "refuse") => void
    readonly alarmed: (reason: (typeof alarmReasons)[number]) => void
    readonly judged: (codes: number) => void
  }
>()("peyk/services/guard/Guard/GuardMetrics") {
  static readonly layer = Layer.effect(
    GuardMetrics,
    Effect.map(Effect.context<never>(), (context) => {
      const refused = counters(context, "peyk_guard_refusals_total", {
        description: "Codes that the guard refused, or sent without SMS, by reason.",
        labels: ["reason"]
      })
      const flagged = counters(context, "peyk_guard_flagged_total", {
        description:
          "Codes that were sent, and that the guard would refuse or send without SMS if it enforced.",
        labels: ["action"]
      })
      const alarms = counters(context, "peyk_guard_alarms_total", {
        description: "Alarms of the guard, by reason.",
        labels: ["reason"]
      })
      const judged = counters(context, "peyk_guard_judged_total", {
        description: "Codes whose outcome the guard has counted."
      })()
      for (const reason of reasons) refused(reason)(0)
      for (const reason of alarmReasons) alarms(reason)(0)
      // In an attack nearly every code counts here.
      const countFlagged = { no_sms: flagged("no_sms"), refuse: flagged("refuse") }
      countFlagged.no_sms(0)
      countFlagged.refuse(0)
      judged(0)
      return GuardMetrics.of({
        refused: (reason) => refused(reason)(1),
        flagged: (action) => countFlagged[action](1),
        alarmed: (reason) => alarms(reason)(1),
        judged
      })
    })
  )
}
