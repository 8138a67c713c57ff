import { Array as Arr, Clock, Effect, Result } from "effect"
import { type AccountState, type Blockage, blockageOf } from "../../../../../domain/account/AccountState.ts"
import { chargeInOrder, withPrices } from "../../../../../domain/money/Charging.ts"
import type { CustomerConfiguration, RoutingStep } from "../../../../../domain/customer/Customer.ts"
import { previewRoute, type RouteStep, type StepPreview } from "../../../../../domain/routing/Route.ts"
import { validitySeconds } from "../../../../../domain/verification/Verification.ts"
import { Billing } from "../../../../../services/customer/Limits.ts"
import { Customers } from "../../../../../services/customer/Customers.ts"
import { AccountStates } from "../../../../../services/account/Accounts.ts"
import type { Template } from "../../../../../domain/message/Template.ts"

/** The outcome that one step would have now. */
export interface StepOutlook extends StepPreview {
  /** The price of a successful send, in rials. */
  readonly price: number
  readonly blockage: Blockage | null
}

export interface RouteOutlook {
  readonly steps: ReadonlyArray<StepOutlook>
  /** Null: a send would be refused. */
  readonly whole: { readonly validSeconds: number; readonly mostRials: number } | null
}

const isResolved = ({ resolved }: StepPreview) => Result.isSuccess(resolved)

const wholeOf = (steps: ReadonlyArray<StepOutlook>): RouteOutlook["whole"] => {
  const resolved = steps.flatMap(({ resolved }) => (Result.isSuccess(resolved) ? [resolved.success] : []))
  if (!steps.every(isResolved) || !Arr.isReadonlyArrayNonEmpty(resolved)) return null
  const priced = steps.map(({ price }) => ({ price }))
  return { validSeconds: validitySeconds(resolved), mostRials: chargeInOrder([], priced).held }
}

/** The outcome that a send along these steps would have now. Nothing is sent, held or counted. */
export const outlookOf = Effect.fnUntraced(function* (
  customerId: number,
  steps: ReadonlyArray<RoutingStep>,
  templates: ReadonlyArray<Template>
) {
  const now = yield* Clock.currentTimeMillis
  const setUp = yield* Effect.orDie((yield* Customers).configuration(customerId))
  const configuration: CustomerConfiguration = { ...setUp, routingTemplates: templates }
  const { prices } = (yield* Billing).terms(configuration)
  const previews = previewRoute(steps, configuration)
  const ids = previews.flatMap(({ resolved }) =>
    Result.isSuccess(resolved) && resolved.success.account_id !== null ? [resolved.success.account_id] : []
  )
  const states = yield* (yield* AccountStates).read(customerId, ids, now)
  const stateOf = ({ account_id }: RouteStep): AccountState | undefined =>
    account_id === null ? undefined : states.get(account_id)
  const outlooks = previews.map((preview): StepOutlook => {
    if (Result.isFailure(preview.resolved)) return { ...preview, price: 0, blockage: null }
    const state = stateOf(preview.resolved.success)
    const [{ price = 0 }] = withPrices([preview.resolved.success], prices)
    return { ...preview, price, blockage: state === undefined ? null : blockageOf(state, "code", now) }
  })
  return { steps: outlooks, whole: wholeOf(outlooks) } satisfies RouteOutlook
})
