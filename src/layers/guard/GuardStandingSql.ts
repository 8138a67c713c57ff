import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { GuardStore } from "../../services/guard/GuardStore.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"

const StandingRow = Schema.Struct({ isProven: Schema.Boolean, isGoodNetwork: Schema.Boolean })

/**
 * A network is known by this many verified codes, whichever customer sent them: a new customer has none. It is good while
 * no customer's test of it is near an alarm.
 */
const KNOWN_VERIFIED = 1
const GOOD_SCORE = 6
const GOOD_CONVERSION = 0.4

/** The reasons to let a code pass that would be refused: two look-ups, by index. */
export const guardStanding = (sql: SqlClient.SqlClient): Pick<GuardStore["Service"], "standing"> => {
  const rows = rowsOf(StandingRow)
  return {
    standing: ({ customerId, phone, network, now }) =>
      Effect.map(
        rows(sql`
          select exists (
              select 1 from verifications p where p.customer_id = ${customerId} and p.phone = ${phone} and p.mode = 'live'
                and p.status = 'verified'
                and p.verified_at > ${timestamp(now)}::timestamptz - interval '90 days') as "isProven",
            coalesce((
              select sum(s.verified) >= ${KNOWN_VERIFIED} and sum(s.verified) >= ${GOOD_CONVERSION} * sum(s.codes)
                and max(s.score) < ${GOOD_SCORE}
              from guard_segments s where s.kind = 'network' and s.key = ${network}::text), false) as "isGoodNetwork"`),
        ([row]) => row ?? { isProven: false, isGoodNetwork: false }
      )
  }
}
