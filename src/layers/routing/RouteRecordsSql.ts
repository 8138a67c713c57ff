import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Tally } from "../../domain/guard/Conversion.ts"
import { Phone } from "../../domain/Phone.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { operatorPrefix } from "../../domain/routing/MeasuredOrder.ts"
import { SHOWN_ATTEMPTS } from "../verification/VerificationRow.ts"
import { RouteRecordStore } from "../../services/routing/RouteRecords.ts"
import { ReportingSql } from "../postgres/Pools.ts"
import { isLive, rowsOf, timestamp } from "../postgres/SqlRows.ts"

const TryRow = Schema.Struct({
  id: Schema.String,
  phone: Phone,
  channel: Channel,
  millis: Schema.NullOr(Schema.Number)
})
const AccountRow = Schema.Struct({ id: Schema.Int })
const ChannelRow = Schema.Struct({ channel: Channel, codes: Schema.Number, verified: Schema.Number })

/** Reads over the connections of reports: no send waits behind one. */
export const RouteRecordsSql = Layer.effect(
  RouteRecordStore,
  Effect.gen(function* () {
    const reporting = yield* ReportingSql
    const sql = yield* SqlClient.SqlClient
    const tryRows = rowsOf(TryRow)
    const accountRows = rowsOf(AccountRow)
    const channelRows = rowsOf(ChannelRow)
    return RouteRecordStore.of({
      // Verified on the first channel: the last attempt is still on it.
      tries: ({ customerId, from, until, limit }) =>
        Effect.map(
          tryRows(reporting`
            select id, phone, channel, case when status = 'verified' and last_channel = channel then
              extract(epoch from verified_at)::float8 * 1000 - (attempts -> 0 ->> 'attempted_at')::float8 end as millis
            from (
              select v.id, v.phone, v.status, v.verified_at, c.attempts,
                v.route -> (c.attempts -> 0 ->> 'step')::int ->> 'channel' as channel,
                v.route -> (c.attempts -> -1 ->> 'step')::int ->> 'channel' as last_channel
              from verifications v, lateral (select ${reporting.literal(SHOWN_ATTEMPTS)} as attempts) c
              where v.customer_id = ${customerId} and ${reporting.literal(isLive)} and v.id >= ${from}::uuid
                and v.id < ${until}::uuid
              order by v.id desc limit ${limit}) tried
            where status <> 'canceled' and jsonb_typeof(attempts -> 0 -> 'attempted_at') = 'number'
            order by id`),
          (rows) =>
            rows.map(({ id, phone, channel, millis }) => ({
              id,
              channel,
              prefix: operatorPrefix(phone),
              isVerified: millis !== null,
              millis
            }))
        ),

      cooling: (customerId, now) =>
        Effect.map(
          accountRows(sql`
            select a.id from sending_accounts a join account_pace p on p.account_id = a.id
            where (a.customer_id = ${customerId} or a.customer_id is null)
              and p.cooling_until > ${timestamp(now)}`),
          (rows) => new Set(rows.map(({ id }) => id))
        ),

      // By the channel that a code tried last, as the guard counts it: close enough for a first guess.
      platform: Effect.map(
        channelRows(reporting`
          select c.key as channel, sum((c.value ->> 0)::float8) as codes, sum((c.value ->> 1)::float8) as verified
          from guard_rounds g, jsonb_each(g.state -> 'channels') c
          where c.key <> '' group by 1`),
        (rows) =>
          Object.fromEntries(
            rows.map(({ channel, codes, verified }) => [channel, [codes, verified] satisfies Tally])
          )
      )
    })
  })
)
