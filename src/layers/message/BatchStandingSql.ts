import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { stripeOf } from "../../domain/money/Charging.ts"
import { holdInStripes, type WalletStripe } from "../../domain/money/WalletStripes.ts"
import type { PhoneStanding } from "../../domain/message/MessageBatch.ts"
import { monthOf } from "../../domain/people/Admission.ts"
import { Phone } from "../../domain/Phone.ts"
import type { PlannedMessage } from "../../services/message/MessagePlans.ts"
import { decodedAs, InstantColumn, RialsColumn } from "../postgres/SqlRows.ts"

const PhoneRow = Schema.Struct({
  phone: Phone,
  hourUsed: Schema.Int,
  hourEndsAt: InstantColumn,
  dayUsed: Schema.Int,
  dayEndsAt: InstantColumn
})
const QuotaRow = Schema.Struct({ used: Schema.Int })
const StripeRow = Schema.Struct({ stripe: Schema.Int, balance: RialsColumn, held: RialsColumn })

/** What can refuse a customer's messages, each locked until the transaction ends: phones, then quota, then wallet. */
export const batchStanding = (sql: SqlClient.SqlClient, customerId: number) => {
  const phoneRows = decodedAs(Schema.Array(PhoneRow))
  const quotaRows = decodedAs(Schema.Array(QuotaRow))
  const stripeRows = decodedAs(Schema.Array(StripeRow))
  const none: ReadonlyArray<never> = []

  const phones = (planned: ReadonlyArray<PlannedMessage>) => {
    const counted = planned.filter(({ admission: { phone } }) => phone.hour > 0 || phone.day > 0)
    const asked = [...new Set(counted.map(({ message }) => message.phone))]
    return asked.length === 0
      ? Effect.succeed(none)
      : phoneRows(sql`
          select phone, hour_used as "hourUsed", hour_ends_at as "hourEndsAt", day_used as "dayUsed",
            day_ends_at as "dayEndsAt"
          from phone_counters where customer_id = ${customerId} and kind = 'message' and phone = any(${asked}::text[])
          order by phone for update`)
  }

  const quota = (planned: ReadonlyArray<PlannedMessage>, now: number) =>
    planned.some(({ admission }) => admission.monthlyQuota > 0)
      ? quotaRows(sql`
          select used from monthly_counters
          where customer_id = ${customerId} and month = ${monthOf(now).start}::date for update`)
      : Effect.succeed(none)

  const wallet = (planned: ReadonlyArray<PlannedMessage>) =>
    planned.some(({ admission }) => admission.hold > 0)
      ? stripeRows(sql`
          select stripe, balance, held from wallets where customer_id = ${customerId} order by stripe for update`)
      : Effect.succeed(none)

  const lock = Effect.fnUntraced(function* (planned: ReadonlyArray<PlannedMessage>, now: number) {
    const counters = yield* phones(planned)
    const months = yield* quota(planned, now)
    const stripes = yield* wallet(planned)
    return {
      stripes,
      standing: {
        phones: new Map(
          counters.map(({ phone, hourUsed, hourEndsAt, dayUsed, dayEndsAt }): [Phone, PhoneStanding] => [
            phone,
            { hour: { used: hourUsed, endsAt: hourEndsAt }, day: { used: dayUsed, endsAt: dayEndsAt } }
          ])
        ),
        usedThisMonth: months[0]?.used ?? 0,
        available: stripes.reduce((sum, { balance, held }) => sum + balance - held, 0)
      }
    }
  })

  /** Holds the price of the admitted messages in the locked wallet. */
  const hold = (stripes: ReadonlyArray<WalletStripe>, admitted: ReadonlyArray<PlannedMessage>) => {
    const amounts = new Map<number, number>()
    for (const { message, admission } of admitted) {
      const stripe = stripeOf(message.id)
      amounts.set(stripe, (amounts.get(stripe) ?? 0) + admission.hold)
    }
    if ([...amounts.values()].every((amount) => amount === 0)) return Effect.void
    const after = holdInStripes(stripes, amounts)
    return Effect.asVoid(sql`
      update wallets w set balance = r.balance, held = r.held
      from (select unnest(${after.map(({ stripe }) => stripe)}::smallint[]) as stripe,
        unnest(${after.map(({ balance }) => BigInt(balance))}::bigint[]) as balance,
        unnest(${after.map(({ held }) => BigInt(held))}::bigint[]) as held) r
      where w.customer_id = ${customerId} and w.stripe = r.stripe`)
  }

  return { lock, hold }
}
