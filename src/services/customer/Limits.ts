import { Context, Effect, Layer } from "effect"
import type { Phone } from "../../domain/Phone.ts"
import type { Prices } from "../../domain/money/Charging.ts"
import type { PhoneLimits } from "../../domain/customer/Limits.ts"
import type { CustomerConfiguration } from "../../domain/customer/Customer.ts"
import { sandboxRefusal, type SandboxRefusal } from "../../domain/verification/SandboxPhone.ts"
import { Settings } from "../Settings.ts"

const UNLIMITED: PhoneLimits = { hour: 0, day: 0, platformDay: 0, callers: 0 }

/** How often a customer can send to one phone. The statement that accepts a request counts it. */
export class Limits extends Context.Service<
  Limits,
  {
    readonly ofCodes: (customer: Pick<CustomerConfiguration, "limits">) => PhoneLimits
    readonly ofMessages: (customer: Pick<CustomerConfiguration, "limits">) => PhoneLimits
    /** A refusal that the sandbox simulates for this phone. */
    readonly simulatedRefusal: (phone: Phone) => SandboxRefusal | undefined
  }
>()("peyk/services/customer/Limits") {
  /** The platform's limits, or the customer's own. */
  static readonly layer = Layer.effect(
    Limits,
    Effect.map(Settings, (settings) =>
      Limits.of({
        ofCodes: ({ limits }) => ({
          hour: limits.phone_hour ?? settings.phoneHourLimit,
          day: limits.phone_day ?? settings.phoneDayLimit,
          platformDay: settings.platformPhoneDayLimit,
          callers: 0
        }),
        ofMessages: ({ limits }) => ({
          hour: limits.message_phone_hour ?? settings.messagePhoneHourLimit,
          day: limits.message_phone_day ?? settings.messagePhoneDayLimit,
          platformDay: 0,
          callers: 0
        }),
        simulatedRefusal: () => undefined
      })
    )
  )

  /** No limits, but the refusals of the phones that are for them. */
  static readonly layerSandbox = Layer.succeed(
    Limits,
    Limits.of({
      ofCodes: () => UNLIMITED,
      ofMessages: () => UNLIMITED,
      simulatedRefusal: sandboxRefusal
    })
  )
}

/** The billing terms of a customer's plan. */
interface Terms {
  /** Accepted requests in a calendar month; 0: no limit. */
  readonly monthlyQuota: number
  readonly prices: Prices
}

const FREE: Terms = { monthlyQuota: 0, prices: {} }

/** Quota and prices. The statement that accepts a request counts and holds them. */
export class Billing extends Context.Service<
  Billing,
  { readonly terms: (customer: Pick<CustomerConfiguration, "plan" | "limits">) => Terms }
>()("peyk/services/customer/Limits/Billing") {
  /** The free plan has a quota and is not charged; the others are charged. */
  static readonly layer = Layer.effect(
    Billing,
    Effect.map(Settings, (settings) => {
      const prices: Prices = {
        eitaa: settings.priceEitaa,
        bale: settings.priceBale,
        soroushplus: settings.priceSoroushplus,
        rubika: settings.priceRubika,
        telegram: settings.priceTelegram,
        voice: settings.priceVoice
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
