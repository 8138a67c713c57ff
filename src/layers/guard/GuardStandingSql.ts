import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { GuardStore, Standing } from "../../services/guard/GuardStore.ts"
import { HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { standingOf } from "../../domain/guard/KnownNetwork.ts"
import { maskPhone } from "../../domain/Phone.ts"
import { lowestIdFrom } from "../../domain/TimePosition.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"

const PassesRow = Schema.Struct({ passes: Schema.Boolean })
const StandingRow = Schema.Struct({
  isProven: Schema.Boolean,
  evidence: Schema.Struct({
    ownVerified: Schema.Number,
    ownSince: Schema.NullOr(Schema.Number),
    othersVerified: Schema.Number,
    codes: Schema.Number,
    score: Schema.Number
  }),
  unverifiedAround: Schema.Int
})
const NOTHING_KNOWN: Standing = {
  isProven: false,
  network: null,
  isVerifiedNetwork: false,
  unverifiedAround: 0
}

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

    standing: ({ customerId, phone, network, around, now }) =>
      Effect.map(
        rows(sql`
          select ${isProven(customerId, phone, now)} as "isProven", (
            select jsonb_build_object(
              'ownVerified', coalesce(sum(s.verified) filter (where s.customer_id = ${customerId}), 0),
              'ownSince', min((s.state -> 'profile' ->> 'since')::float8) filter (where s.customer_id = ${customerId}),
              'othersVerified', coalesce(sum(s.verified) filter (where s.customer_id <> ${customerId}), 0),
              'codes', coalesce(sum(s.codes), 0), 'score', coalesce(max(s.score), 0))
            from guard_segments s where s.kind = 'network' and s.key = ${network}::text) as evidence, (
            select count(*)::int from unnest(${around}::text[]) as r (key) where not exists (
              select from guard_segments s where s.kind = 'network' and s.key = r.key and s.verified > 0)
          ) as "unverifiedAround"`),
        ([row]) =>
          row === undefined
            ? NOTHING_KNOWN
            : {
                isProven: row.isProven,
                network: standingOf(row.evidence, now),
                isVerifiedNetwork: row.evidence.ownVerified + row.evidence.othersVerified > 0,
                unverifiedAround: row.unverifiedAround
              }
      )
  }
}
