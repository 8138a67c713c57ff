import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { dateOf } from "../../domain/Calendar.ts"
import { formatInstant } from "../../domain/Instant.ts"
import type { TimeSpan } from "../../domain/Paging.ts"
import { daysOf } from "../../domain/TimeZones.ts"
import {
  noCodes,
  noSends,
  USAGE_ZONE,
  type UsageGroup,
  type UsageGrouping
} from "../../domain/money/Usage.ts"
import { withinIds } from "../postgres/PagesSql.ts"
import { RialsColumn, rowsOf } from "../postgres/SqlRows.ts"
import { SHOWN_ATTEMPTS } from "../verification/VerificationRow.ts"
import { UsageRecords } from "../../services/UsageReports.ts"

/**
 * The price of an attempt `a`, the `n`th of a record `r`, with its step's `price`: on a route in order, only the first
 * with the captured price has one.
 */
export const ATTEMPT_COST = `case
  when a ->> 'status' <> 'sent' or r.captured = 0 or price is null then 0
  when r.is_each_charged then price
  when price <> r.captured then 0
  when n = 1 or not exists (
    select from jsonb_array_elements(r.attempts) with ordinality as other(o, m)
    where m < n and o ->> 'status' = 'sent' and (r.route -> (o ->> 'step')::int ->> 'price')::bigint = r.captured)
    then price
  else 0 end`

const SendRow = Schema.Struct({
  /** Empty if days, or channels, are not separated. */
  day: Schema.String,
  channel: Schema.String,
  accepted: Schema.Int,
  sent: Schema.Int,
  failed: Schema.Int,
  errors: Schema.Record(Schema.String, Schema.Int),
  delivered: Schema.Int,
  undelivered: Schema.Int,
  cost: RialsColumn,
  verified: Schema.Int,
  medianSeconds: Schema.NullOr(Schema.Finite)
})
type SendRow = typeof SendRow.Type

/** Codes and messages as records of one form. Only a message can use several accounts of one channel. */
const codes = {
  table: "verifications",
  only: "and mode = 'live'",
  attempts: SHOWN_ATTEMPTS,
  isEachCharged: "false",
  end: "verified_at",
  acceptedOver: "count(*)"
}
const messages = {
  table: "messages",
  only: "and mode = 'live'",
  attempts: "attempts",
  isEachCharged: "strategy = 'broadcast'",
  end: "null::timestamptz",
  acceptedOver: "count(distinct id)"
}

/** The day of a record. PostgreSQL need not know the zone: it gets the days of the period. */
const dayOfRow = (sql: SqlClient.SqlClient, period: TimeSpan, zone: string) => {
  const begins = daysOf(period, zone)
  const names = begins.map((begin) => dateOf(begin, { calendar: "gregorian", zone }))
  return sql`(${names}::text[])[width_bucket(created_at, ${begins.map(formatInstant)}::text[]::timestamptz[])]`
}

/**
 * Reads the period's records (at most three times) by the index on their time. By channel, a record counts for each
 * channel that was tried, a right code for the last of them, and money for the one that was charged.
 */
const usageStatement =
  (sql: SqlClient.SqlClient, kind: typeof codes) =>
  (customerId: number, { from, to }: TimeSpan, { byDay, byChannel, zone = USAGE_ZONE }: UsageGrouping) => {
    const day = byDay ? dayOfRow(sql, { from, to }, zone) : sql.literal("''")
    const channel = sql.literal(byChannel ? "r.route -> (a ->> 'step')::int ->> 'channel'" : "''")
    const counted = sql.literal(byChannel ? "attempts" : "records")
    const accepted = sql.literal(byChannel ? kind.acceptedOver : "count(*)")
    const onlyLast = sql.literal(byChannel ? "filter (where is_last)" : "")
    return sql`
      with records as not materialized (
        select id, ${day} as day, ${sql.literal(kind.attempts)} as attempts, route, captured,
          ${sql.literal(kind.isEachCharged)} as is_each_charged,
          extract(epoch from ${sql.literal(kind.end)} - created_at)::float8 as seconds
        from ${sql(kind.table)}
        where customer_id = ${customerId} ${sql.literal(kind.only)}
          and ${sql.and(withinIds(sql, ["created_at", "id"], { from, to, after: null }))}),
      attempts as materialized (
        select r.id, r.day, ${channel} as channel, r.seconds, n = jsonb_array_length(r.attempts) as is_last,
          a ->> 'status' as status, a ->> 'error_code' as error_code, a -> 'delivery' ->> 'status' as delivery,
          ${sql.literal(ATTEMPT_COST)} as cost
        from records r, jsonb_array_elements(r.attempts) with ordinality as attempt(a, n),
          lateral (select (r.route -> (a ->> 'step')::int ->> 'price')::bigint as price) priced),
      whole as (
        select day, ${byChannel ? sql`channel` : sql`'' as channel`}, ${accepted}::int as accepted,
          (count(seconds) ${onlyLast})::int as verified,
          percentile_cont(0.5) within group (order by seconds) ${onlyLast} as median
        from ${counted} group by 1, 2),
      sends as (
        select day, channel, (count(*) filter (where status = 'sent'))::int as sent,
          (count(*) filter (where status = 'failed'))::int as failed,
          (count(*) filter (where delivery = 'delivered'))::int as delivered,
          (count(*) filter (where delivery = 'undelivered'))::int as undelivered, sum(cost)::bigint as cost
        from attempts group by day, channel),
      errors as (
        select day, channel, jsonb_object_agg(error_code, times) as errors from (
          select day, channel, error_code, count(*)::int as times from attempts
          where status = 'failed' and error_code is not null group by day, channel, error_code) counted
        group by day, channel)
      select day, channel, accepted, verified, median as "medianSeconds", coalesce(sent, 0) as sent,
        coalesce(failed, 0) as failed, coalesce(delivered, 0) as delivered, coalesce(undelivered, 0) as undelivered,
        coalesce(cost, 0)::bigint as cost, coalesce(errors, '{}') as errors
      from whole left join sends using (day, channel) left join errors using (day, channel)`
  }

const groupName = ({ day, channel }: Pick<SendRow, "day" | "channel">): string => `${day} ${channel}`

const nameOrNull = (name: string): string | null => (name === "" ? null : name)

/** Groups of either kind, by day and channel. */
const merged = (
  codeRows: ReadonlyArray<SendRow>,
  messageRows: ReadonlyArray<SendRow>
): ReadonlyArray<UsageGroup> => {
  const byName = new Map<string, UsageGroup>()
  const groupOf = ({ day, channel }: SendRow): UsageGroup =>
    byName.get(groupName({ day, channel })) ?? {
      day: nameOrNull(day),
      channel: nameOrNull(channel),
      codes: noCodes,
      messages: noSends
    }
  for (const row of codeRows) {
    const { day: _, channel: __, ...usage } = row
    byName.set(groupName(row), { ...groupOf(row), codes: usage })
  }
  for (const row of messageRows) {
    const { day: _, channel: __, verified: ___, medianSeconds: ____, ...usage } = row
    byName.set(groupName(row), { ...groupOf(row), messages: usage })
  }
  return [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
}

export const UsageRecordsSql = Layer.effect(
  UsageRecords,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const sendRows = rowsOf(SendRow)
    const codeUsage = usageStatement(sql, codes)
    const messageUsage = usageStatement(sql, messages)

    return UsageRecords.of({
      read: Effect.fnUntraced(function* (...request) {
        const codeRows = yield* sendRows(codeUsage(...request))
        return merged(codeRows, yield* sendRows(messageUsage(...request)))
      })
    })
  })
)
