import { Effect, Result } from "effect"
import { withPrices } from "../../../domain/money/Charging.ts"
import type { CustomerConfiguration } from "../../../domain/people/Customer.ts"
import { Billing } from "../../customer/Billing.ts"
import { Routing } from "../../customer/Routing.ts"
import type { SendRequest } from "./SendRequest.ts"

/** The route of a code, with its prices. */
export const makeRouteOf = Effect.gen(function* () {
  const routing = yield* Routing
  const billing = yield* Billing

  const resolved = (customer: CustomerConfiguration, request: SendRequest) =>
    Result.map(routing.resolve(customer, request), (route) =>
      withPrices(route, billing.terms(customer).prices)
    )
  /** Along their saved order, which most requests use. */
  const savedRoutes = new WeakMap<CustomerConfiguration, ReturnType<typeof resolved>>()
  return (customer: CustomerConfiguration, request: SendRequest) => {
    const { channels, channelTimeout, templateId } = request
    if (channels !== undefined || channelTimeout !== undefined || templateId !== undefined) {
      return resolved(customer, request)
    }
    const known = savedRoutes.get(customer)
    if (known !== undefined) return known
    const made = resolved(customer, request)
    savedRoutes.set(customer, made)
    return made
  }
})
