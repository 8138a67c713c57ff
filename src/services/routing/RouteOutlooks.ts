import { Effect, Result } from "effect"
import type { RouteError, TemplateError } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import { type AccountState, type Blockage, blockageOf } from "../../domain/account/AccountState.ts"
import type { CustomerConfiguration } from "../../domain/customer/Customer.ts"
import { withPrices } from "../../domain/money/Charging.ts"
import { isCall, isPlanned, type RouteStep } from "../../domain/routing/Route.ts"
import { type CallHours, isCallHour, nightEndsAt } from "../../domain/verification/PhoneCalls.ts"
import { AccountStates } from "../account/AccountHistories.ts"
import { Billing } from "../customer/Limits.ts"
import { Settings } from "../Settings.ts"

/** A step of a code's route, or why there is none. */
interface ResolvedStep {
  readonly resolved: Result.Result<RouteStep, RouteError | TemplateError>
}

/** The outcome that a step would have now. */
interface Outlook {
  /** The price of a successful send, in rials. */
  readonly price: number
  readonly blockage: Blockage | null
  /** Of its account; null: the step has none. */
  readonly state: AccountState | null
}

/** A route calls nobody at night by itself. */
const outOfHours = (step: RouteStep, hours: CallHours, now: Instant): Blockage | null =>
  isCall(step) && isPlanned(step) && !isCallHour(hours, now)
    ? { _tag: "OutOfHours", until: nightEndsAt(hours, now) }
    : null

/** What would become of each step if a code was sent now. The console's preview and the API's are made of this. */
export const outlooksOf = Effect.fnUntraced(function* <Step extends ResolvedStep>(
  customer: CustomerConfiguration,
  steps: ReadonlyArray<Step>,
  now: Instant
) {
  const { callHours } = yield* Settings
  const { prices } = (yield* Billing).terms(customer)
  const ids = steps.flatMap(({ resolved }) =>
    Result.isSuccess(resolved) && resolved.success.account_id !== null ? [resolved.success.account_id] : []
  )
  const states = yield* (yield* AccountStates).read(customer.customerId, [...new Set(ids)], now)
  return steps.map((step): Step & Outlook => {
    if (Result.isFailure(step.resolved)) return { ...step, price: 0, blockage: null, state: null }
    const { account_id } = step.resolved.success
    const state = account_id === null ? null : (states.get(account_id) ?? null)
    const [{ price = 0 }] = withPrices([step.resolved.success], prices)
    const ofAccount = state === null ? null : blockageOf(state, "code", now)
    return { ...step, price, state, blockage: outOfHours(step.resolved.success, callHours, now) ?? ofAccount }
  })
})
