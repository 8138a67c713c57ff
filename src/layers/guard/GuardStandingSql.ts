import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { GuardStore } from "../../services/guard/GuardStore.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"

const StandingRow = Schema.Struct({ isProven: Schema.Boolean, isGoodNetwork: Schema.Boolean })

/** A network is known by this many verified codes, and good while its test is far from an alarm. */
const KNOWN_VERIFIED = 5
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
              select from verifications p where p.customer_id = ${customerId} and p.phone = ${phone} and p.mode = 'live'
                and p.status = 'verified'
                and p.verified_at > ${timestamp(now)}::timestamptz - interval '90 days') as "isProven",
            exists (
              select from guard_segments s where s.customer_id = ${customerId} and s.kind = 'network'
                and s.key = ${network}::text and s.score < ${GOOD_SCORE} and s.verified >= ${KNOWN_VERIFIED}
                and s.verified >= ${GOOD_CONVERSION} * s.codes) as "isGoodNetwork"`),
        ([row]) => row ?? { isProven: false, isGoodNetwork: false }
      )
  }
}
