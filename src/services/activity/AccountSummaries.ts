import { Clock, Context, Effect, Layer } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { LimitOverrides } from "../../domain/customer/Limits.ts"
import type { Plan, SendingAccount } from "../../domain/customer/Customer.ts"
import type { Prices } from "../../domain/money/Charging.ts"
import type { Channel } from "../../domain/routing/Channel.ts"
import { Settings } from "../Settings.ts"
import { Customers } from "../customer/Customers.ts"
import { Billing, Limits } from "../customer/Limits.ts"

/** A customer and its money, from the store. */
interface CustomerStanding {
  readonly id: number
  readonly name: string
  readonly plan: Plan
  readonly limits: LimitOverrides
  /** Requests accepted in the calendar month (UTC). */
  readonly usedThisMonth: number
  /** When the next month begins. */
  readonly monthEndsAt: Instant
  /** In rials. */
  readonly balance: number
  readonly held: number
}

export class CustomerStandings extends Context.Service<
  CustomerStandings,
  { readonly read: (customerId: number, now: Instant) => Effect.Effect<CustomerStanding> }
>()("peyk/services/activity/AccountSummaries/CustomerStandings") {}

/** A customer's own limits, prices, quota and wallet. A limit of 0 is switched off. */
export interface AccountSummary {
  readonly customer: Pick<CustomerStanding, "id" | "name" | "plan">
  readonly limits: {
    readonly keyMinute: number
    readonly phoneHour: number
    readonly phoneDay: number
    readonly messagePhoneHour: number
    readonly messagePhoneDay: number
    readonly platformPhoneDay: number
  }
  /** Rials for a successful send; of calls only where the platform has an account for them. */
  readonly prices: Readonly<Record<Exclude<Channel, "voice">, number>> & { readonly voice?: number }
  /** Null if the plan has none. */
  readonly quota: { readonly limit: number; readonly used: number; readonly resetsAt: Instant } | null
  /** Null if the plan is not charged. */
  readonly wallet: Pick<CustomerStanding, "balance" | "held"> | null
}

/** A channel without a price is free. */
const allPrices = (
  { eitaa = 0, bale = 0, soroushplus = 0, rubika = 0, telegram = 0, sms = 0, voice = 0 }: Prices,
  sharedAccounts: ReadonlyArray<SendingAccount>
): AccountSummary["prices"] => ({
  eitaa,
  bale,
  soroushplus,
  rubika,
  telegram,
  sms,
  ...(sharedAccounts.some(({ channel, active }) => active && channel === "voice") && { voice })
})

export class AccountSummaries extends Context.Service<
  AccountSummaries,
  {
    /** `requestsPerMinute`: the key's own limit, or null. */
    readonly read: (customerId: number, requestsPerMinute: number | null) => Effect.Effect<AccountSummary>
  }
>()("peyk/services/activity/AccountSummaries") {
  static readonly layer = Layer.effect(
    AccountSummaries,
    Effect.gen(function* () {
      const settings = yield* Settings
      const billing = yield* Billing
      const limits = yield* Limits
      const standings = yield* CustomerStandings
      const customers = yield* Customers

      const limitsOf = (customer: CustomerStanding, requestsPerMinute: number | null) => {
        const [codes, messages] = [limits.ofCodes(customer), limits.ofMessages(customer)]
        return {
          keyMinute: requestsPerMinute ?? customer.limits.key_minute ?? settings.keyMinuteLimit,
          phoneHour: codes.hour,
          phoneDay: codes.day,
          messagePhoneHour: messages.hour,
          messagePhoneDay: messages.day,
          platformPhoneDay: codes.platformDay
        }
      }

      const read = Effect.fnUntraced(function* (customerId: number, requestsPerMinute: number | null) {
        const customer = yield* standings.read(customerId, yield* Clock.currentTimeMillis)
        const { id, name, plan, usedThisMonth: used, monthEndsAt: resetsAt, balance, held } = customer
        const { monthlyQuota: limit, prices } = billing.terms(customer)
        // Without a key's version nothing can have changed since.
        const { sharedAccounts } = yield* Effect.orDie(customers.configuration(customerId))
        const summary: AccountSummary = {
          customer: { id, name, plan },
          limits: limitsOf(customer, requestsPerMinute),
          prices: allPrices(prices, sharedAccounts),
          quota: limit === 0 ? null : { limit, used, resetsAt },
          wallet: plan === "free" ? null : { balance, held }
        }
        return summary
      })
      return AccountSummaries.of({ read })
    })
  )
}
