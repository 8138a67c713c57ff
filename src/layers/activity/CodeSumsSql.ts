import { Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import {
  CLASSES,
  insightKinds,
  NO_TEMPLATE,
  SANDBOX_ACCOUNT,
  SHARED_ACCOUNT,
  spansWithHours,
  SUM_SPAN_MILLIS,
  sumBegin,
  SUMS_ORIGIN,
  type SumSpan,
  sumSpans,
  type SumsPart,
  sumsParts,
  wholeSums
} from "../../domain/Insights.ts"
import { SECONDS_CLASSES, SLOT_MILLIS } from "../../domain/Activity.ts"
import { DAY_MILLIS, formatInstant, type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { operatorPrefixes } from "../../domain/Operators.ts"
import type { TimeSpan } from "../../domain/Paging.ts"
import { offsetsOf } from "../../domain/TimeZones.ts"
import { CodeSumsStore, type InsightFilter } from "../../services/activity/Insights.ts"
import { RialsColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"

/** The operator of a row's phone, as `operatorOf`. */
export const OPERATOR_OF_PHONE = `case ${operatorPrefixes
  .map(
    ([operator, prefixes]) =>
      `when substr(phone, 4, 3) in (${prefixes.map((prefix) => `'${prefix}'`).join(", ")}) then '${operator}'`
  )
  .join(" ")} else 'other' end`

const ACCOUNT_OF_STEP = `case
  when step -> 'account_id' = 'null' then '${SANDBOX_ACCOUNT}'
  when step -> 'descriptor' -> 'credential_id' = 'null' then '${SHARED_ACCOUNT}' || channel
  else step ->> 'account_id' end`

const classes = Array.from({ length: CLASSES }, (_, index) => index)

/** How many of some rows are of each class. */
const COUNTED_CLASSES = `array[${classes
  .map((index) => `coalesce(sum(codes) filter (where class = ${index}), 0)`)
  .join(", ")}]`

/** The counts of each class of several sums together. */
const ADDED_CLASSES = `array[${classes.map((index) => `sum(seconds[${index + 1}])`).join(", ")}]::int[]`

/**
 * Of `record` and `tried` (the attempts of each), `grouped`: the sums of codes of each slot. By channel, account and
 * template, a code counts for each that was tried, and as verified for the last.
 */
export const codeGroups = (sql: SqlClient.SqlClient) => sql`
    code as materialized (
      select mode, starts_at, id, operator, captured, width_bucket(seconds, ${[...SECONDS_CLASSES]}::float8[]) as class,
        coalesce(seconds is not null and route -> (attempts -> 0 ->> 'step')::int ->> 'channel'
          <> route -> (attempts -> -1 ->> 'step')::int ->> 'channel', false) as is_fallback
      from record where kind = 'code'),
    part as (
      select mode, starts_at, k.kind, k.key, class, is_fallback, captured as cost
      from code, lateral (values ('all', ''), ('operator', operator)) k(kind, key)
      union all
      select c.mode, c.starts_at, k.kind, k.key, max(class) filter (where is_last),
        bool_or(is_fallback and is_last), sum(cost)
      from tried t join code c on c.id = t.id, lateral (values ('channel', channel),
        ('account', ${sql.literal(ACCOUNT_OF_STEP)}),
        ('template', coalesce(step ->> 'template', ${sql.literal(`'${NO_TEMPLATE}'`)}))) k(kind, key)
      where t.kind = 'code'
      group by c.mode, c.starts_at, c.id, k.kind, k.key),
    grouped as (
      select starts_at, jsonb_agg(jsonb_build_object('mode', mode, 'kind', kind, 'key', key, 'codes', codes,
        'verified', verified, 'fallbacks', fallbacks, 'cost', cost, 'seconds', seconds)) as groups
      from (
        select mode, starts_at, kind, key, sum(codes) as codes,
          coalesce(sum(codes) filter (where class is not null), 0) as verified, sum(fallbacks) as fallbacks,
          sum(cost) as cost, ${sql.literal(COUNTED_CLASSES)} as seconds
        from (
          select mode, starts_at, kind, key, class, count(*) as codes,
            count(*) filter (where is_fallback) as fallbacks, sum(cost) as cost
          from part group by 1, 2, 3, 4, 5) classed
        group by 1, 2, 3, 4) each
      group by starts_at)`

const COLUMNS = "mode, key, codes, verified, fallbacks, cost, seconds"

/** Sums of all codes by the half hour of the day: those of spans that have them. */
const HOURS = "hour"
const ORIGIN = `timestamptz '${formatInstant(SUMS_ORIGIN)}'`

const hasHours = (span: SumSpan): boolean => spansWithHours.some((each) => each === span)

/** Keeps the numbers of customers apart from other advisory locks. */
const LOCKS_OF_SUMS = 28

/**
 * Replaces the sums of these slots by those that `slots` has: an array in JSON of `starts_at` and `groups`. Then the
 * longer spans that they are in are summed up again. It needs a transaction: the sums of one customer are written one
 * after the other. What stays as it is is not written: most rows of long spans.
 */
export const writeCodeSums = (
  sql: SqlClient.SqlClient,
  customerId: number,
  time: TimeSpan,
  { slots, written }: { readonly slots: string; readonly written: ReadonlyArray<Instant> }
) => {
  const within = ({ from, to }: TimeSpan) => sql`
    starts_at >= ${timestamp(from)}::timestamptz and starts_at < ${timestamp(to)}::timestamptz`
  const kindsOf = (span: SumSpan) => [...insightKinds, ...(hasHours(span) ? [HOURS] : [])]
  const replace = (span: SumSpan, isReplaced: Statement.Fragment, fresh: Statement.Fragment) => sql`
    with fresh as materialized (${fresh}),
    gone as (
      delete from code_sums s
      where customer_id = ${customerId} and span = ${span} and kind = any(${kindsOf(span)}::text[]) and ${isReplaced}
        and not exists (select from fresh f where f.kind = s.kind and f.starts_at = s.starts_at and f.mode = s.mode
          and f.key = s.key))
    insert into code_sums as s (customer_id, span, kind, starts_at, ${sql.literal(COLUMNS)})
    select ${customerId}, ${span}, kind, starts_at, ${sql.literal(COLUMNS)} from fresh
    on conflict (customer_id, span, kind, starts_at, mode, key) do update set codes = excluded.codes,
      verified = excluded.verified, fallbacks = excluded.fallbacks, cost = excluded.cost, seconds = excluded.seconds
    where (s.codes, s.verified, s.fallbacks, s.cost, s.seconds) is distinct from
      (excluded.codes, excluded.verified, excluded.fallbacks, excluded.cost, excluded.seconds)`

  const summed = sql.literal(`sum(codes) as codes, sum(verified) as verified, sum(fallbacks) as fallbacks,
    sum(cost) as cost, ${ADDED_CLASSES} as seconds`)
  const beginOf = (span: SumSpan) =>
    sql.literal(`date_bin(interval '${SUM_SPAN_MILLIS[span] / MINUTE_MILLIS} minutes', starts_at, ${ORIGIN})`)

  /** From those of the span before. */
  const added = (span: SumSpan, shorter: SumSpan, all: TimeSpan) => sql`
    select kind, ${beginOf(span)} as starts_at, mode, key, ${summed}
    from code_sums
    where customer_id = ${customerId} and span = ${shorter} and kind = any(${kindsOf(shorter)}::text[]) and ${within(all)}
    group by 1, 2, 3, 4`

  const slotOfDay = sql.literal(
    `(extract(epoch from starts_at - ${ORIGIN})::bigint / ${SLOT_MILLIS / 1000} % ${DAY_MILLIS / SLOT_MILLIS})::text`
  )
  const byHour = (span: SumSpan, all: TimeSpan) => sql`
    select ${HOURS}, ${beginOf(span)}, mode, ${slotOfDay}, ${summed}
    from code_sums where customer_id = ${customerId} and span = 'half_hour' and kind = 'all' and ${within(all)}
    group by 2, 3, 4`

  const isWritten = sql`= any(${written.map(timestamp)}::timestamptz[])`
  return Effect.gen(function* () {
    yield* replace(
      "half_hour",
      sql`starts_at ${isWritten}`,
      sql`
        select kind, (slot ->> 'starts_at')::timestamptz as starts_at, ${sql.literal(COLUMNS)}
        from jsonb_array_elements(${slots}::jsonb) slot,
          jsonb_to_recordset(slot -> 'groups') as g(kind text, mode text, key text, codes int, verified int,
            fallbacks int, cost bigint, seconds int[])
        where (slot ->> 'starts_at')::timestamptz ${isWritten}`
    )
    for (const [index, span] of sumSpans.entries()) {
      const shorter = sumSpans[index - 1]
      if (shorter === undefined) continue
      const all = wholeSums(span, time)
      const sums = added(span, shorter, all)
      const isFirstWithHours = hasHours(span) && !hasHours(shorter)
      yield* replace(span, within(all), isFirstWithHours ? sql`${sums} union all ${byHour(span, all)}` : sums)
    }
  })
}

/** Until the transaction ends, nobody else writes the customer's sums. */
export const lockSums = (sql: SqlClient.SqlClient, customerId: number) =>
  sql`select pg_advisory_xact_lock(${LOCKS_OF_SUMS}, ${customerId})`

const sumColumns = {
  codes: Schema.Int,
  verified: Schema.Int,
  fallbacks: Schema.Int,
  cost: RialsColumn,
  seconds: Schema.Array(Schema.Int)
}
const TotalRow = Schema.Struct({ kind: Schema.String, key: Schema.String, ...sumColumns })
const BucketRow = Schema.Struct({ bucket: Schema.Int, ...sumColumns })
const HourRow = Schema.Struct({ hour: Schema.Int, ...sumColumns })

/** The store's part of a report: it reads sums, and no codes. */
export const CodeSumsSql = Layer.effect(
  CodeSumsStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const totalRows = rowsOf(TotalRow)
    const bucketRows = rowsOf(BucketRow)
    const hourRows = rowsOf(HourRow)

    const summed = sql.literal(`sum(codes)::int as codes, sum(verified)::int as verified,
      sum(fallbacks)::int as fallbacks, sum(cost)::bigint as cost, ${ADDED_CLASSES} as seconds`)

    /** One statement for any number of parts; each part is a range of the primary key. */
    const rowsIn = (
      { customerId, mode }: InsightFilter,
      parts: ReadonlyArray<SumsPart & { readonly kinds: ReadonlyArray<string>; readonly offset?: number }>
    ) => sql`
      unnest(${parts.map(({ span }) => span)}::text[], ${parts.map(({ kinds }) => kinds.join())}::text[],
          ${parts.map(({ from }) => timestamp(from))}::timestamptz[],
          ${parts.map(({ to }) => timestamp(to))}::timestamptz[],
          ${parts.map(({ offset = 0 }) => offset / 1000)}::float8[]) part(span, kinds, from_at, to_at, zone_offset)
        cross join lateral (
          select kind, starts_at, key, codes, verified, fallbacks, cost, seconds from code_sums c
          where c.customer_id = ${customerId} and c.span = part.span
            and c.kind = any(string_to_array(part.kinds, ',')) and c.starts_at >= part.from_at
            and c.starts_at < part.to_at and c.mode = ${mode}
          offset 0) sums`

    return CodeSumsStore.of({
      totals: (filter, kinds, time) =>
        totalRows(sql`
          select kind, key, ${summed}
          from ${rowsIn(
            filter,
            sumsParts(time, sumSpans).map((part) => ({ ...part, kinds }))
          )}
          group by kind, key`),

      buckets: (filter, begins, to) => {
        const [from, ...rest] = begins
        const spans = sumSpans.filter((span) => rest.every((begin) => sumBegin(span, begin) === begin))
        const isUpToDays = (span: SumSpan) => SUM_SPAN_MILLIS[span] <= DAY_MILLIS
        const parts = sumsParts({ from, to }, spans.filter(isUpToDays))
        return bucketRows(sql`
          select width_bucket(starts_at, ${begins.map(timestamp)}::timestamptz[]) - 1 as bucket, ${summed}
          from ${rowsIn(
            filter,
            parts.map((part) => ({ ...part, kinds: ["all"] }))
          )}
          group by 1 order by 1`)
      },

      // By offsets: the names of zones are not the same in PostgreSQL.
      hours: (filter, time, timeZone) => {
        const offsets = offsetsOf(time, timeZone, SLOT_MILLIS)
        const parts = offsets.flatMap(({ from, offset }, nth) =>
          sumsParts({ from, to: offsets[nth + 1]?.from ?? time.to }, ["half_hour", ...spansWithHours]).map(
            (part) => ({ ...part, offset, kinds: [hasHours(part.span) ? HOURS : "all"] })
          )
        )
        return hourRows(sql`
          select (floor((extract(epoch from starts_at) + zone_offset
              + case when kind = ${HOURS} then key::int * ${SLOT_MILLIS / 1000}::int else 0 end) / 3600)::bigint
            % 24)::int as hour, ${summed}
          from ${rowsIn(filter, parts)}
          group by 1 order by 1`)
      }
    })
  })
)
