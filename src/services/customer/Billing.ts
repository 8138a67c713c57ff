import { Context, Effect, Layer } from "effect"
import type { Prices } from "../../domain/money/Charging.ts"
import type { CustomerConfiguration } from "../../domain/people/Customer.ts"
import { Settings } from "../Settings.ts"

/** The billing terms of a customer's plan. */
export interface Terms {
  /** Accepted requests in a calendar month; 0: no limit. */
  readonly monthlyQuota: number
  readonly prices: Prices
}

const FREE: Terms = { monthlyQuota: 0, prices: {} }

/** Quota and prices. The statement that accepts a request counts and holds them. */
export class Billing extends Context.Service<
  Billing,
  { readonly terms: (customer: Pick<CustomerConfiguration, "plan" | "limits">) => Terms }
>()("peyk/services/customer/Billing") {
  /** The free plan has a quota and is not charged; the others are charged. */
  static readonly layer = Layer.effect(
    Billing,
    Effect.map(Settings, (settings) => {
      const prices: Prices = {
        eitaa: settings.priceEitaa,
        bale: settings.priceBale,
        soroushplus: settings.priceSoroushplus,
        rubika: settings.priceRubika,
        telegram: settings.priceTelegram
      }
      return Billing.of({
        terms: ({ plan, limits }) =>
          plan === "free"
            ? { monthlyQuota: limits.monthly_quota ?? settings.freeMonthlyQuota, prices: {} }
            : { monthlyQuota: 0, prices }
      })
    })
  )

  /** Charges nothing. */
  static readonly layerFree = Layer.succeed(Billing, Billing.of({ terms: () => FREE }))
}
