import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { GuardStore } from "../../services/guard/GuardStore.ts"
import { HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { maskPhone } from "../../domain/Phone.ts"
import { lowestIdFrom } from "../../domain/TimePosition.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"

const PassesRow = Schema.Struct({ passes: Schema.Boolean })
const StandingRow = Schema.Struct({ isProven: Schema.Boolean, isGoodNetwork: Schema.Boolean })

/**
 * A network is known by this many verified codes, whichever customer sent them: a new customer has none. It is good while
 * no customer's test of it is near an alarm.
 */
const KNOWN_VERIFIED = 1
const GOOD_SCORE = 6
const GOOD_CONVERSION = 0.4

/** A cleared alarm lets a bombed phone pass for an hour. Such an alarm lasts ten minutes. */
const CLEARED_MILLIS = HOUR_MILLIS
const RAISED_MILLIS = CLEARED_MILLIS + 10 * MINUTE_MILLIS

/** The reasons to let a code pass that would be refused: look-ups by index. */
export const guardStanding = (
  sql: SqlClient.SqlClient
): Pick<GuardStore["Service"], "standing" | "passesBombed"> => {
  const rows = rowsOf(StandingRow)
  const passesRows = rowsOf(PassesRow)
  const isProven = (customerId: number, phone: string, now: Instant) => sql`exists (
    select 1 from verifications p where p.customer_id = ${customerId} and p.phone = ${phone} and p.mode = 'live'
      and p.status = 'verified' and p.verified_at > ${timestamp(now)}::timestamptz - interval '90 days')`
  return {
    passesBombed: (customerId, phone, now) =>
      Effect.map(
        passesRows(sql`
          select ${isProven(customerId, phone, now)} or exists (
            select 1 from guard_alarms a where a.customer_id = ${customerId} and a.id >= ${lowestIdFrom(now - RAISED_MILLIS)}::uuid
              and a.kind = 'phone' and a.key = ${maskPhone(phone)} and a.reason = 'bombed'
              -- a round clears it when its time is over
              and a.cleared_at < a.until and a.cleared_at > ${timestamp(now - CLEARED_MILLIS)}) as passes`),
        ([row]) => row?.passes ?? false
      ),

    standing: ({ customerId, phone, network, now }) =>
      Effect.map(
        rows(sql`
          select ${isProven(customerId, phone, now)} as "isProven",
            coalesce((
              select sum(s.verified) >= ${KNOWN_VERIFIED} and sum(s.verified) >= ${GOOD_CONVERSION} * sum(s.codes)
                and max(s.score) < ${GOOD_SCORE}
              from guard_segments s where s.kind = 'network' and s.key = ${network}::text), false) as "isGoodNetwork"`),
        ([row]) => row ?? { isProven: false, isGoodNetwork: false }
      )
  }
}
