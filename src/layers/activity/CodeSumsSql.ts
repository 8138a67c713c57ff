import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  CLASSES,
  type InsightKind,
  insightKinds,
  NO_TEMPLATE,
  SANDBOX_ACCOUNT,
  SHARED_ACCOUNT,
  SUMS_DAY_OFFSET_MILLIS,
  sumsDayOf,
  sumsOfSpan
} from "../../domain/Insights.ts"
import { SECONDS_CLASSES, SLOT_MILLIS } from "../../domain/Activity.ts"
import { DAY_MILLIS, formatInstant, type Instant } from "../../domain/Instant.ts"
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

/** Keeps the numbers of customers apart from other advisory locks. */
const LOCKS_OF_SUMS = 28

const ORIGIN_OF_DAYS = formatInstant(SUMS_DAY_OFFSET_MILLIS)

/**
 * Replaces the sums of these slots by those that `slots` has: an array in JSON of `starts_at` and `groups`. Then their
 * days are summed up again. It needs a transaction: the sums of one customer are written one after the other.
 */
export const writeCodeSums = (
  sql: SqlClient.SqlClient,
  customerId: number,
  { from, to }: TimeSpan,
  { slots, written }: { readonly slots: string; readonly written: ReadonlyArray<Instant> }
) =>
  Effect.gen(function* () {
    const starts = written.map(timestamp)
    const kinds = sql`kind = any(${[...insightKinds]}::text[])`
    const days = sql`
      starts_at >= ${timestamp(sumsDayOf(from))}::timestamptz
      and starts_at < ${timestamp(sumsDayOf(to - 1) + DAY_MILLIS)}::timestamptz`
    yield* sql`
      delete from code_sums
      where customer_id = ${customerId} and span = 'half_hour' and ${kinds}
        and starts_at = any(${starts}::timestamptz[])`
    yield* sql`
      insert into code_sums (customer_id, span, kind, starts_at, ${sql.literal(COLUMNS)})
      select ${customerId}, 'half_hour', kind, (slot ->> 'starts_at')::timestamptz, ${sql.literal(COLUMNS)}
      from jsonb_array_elements(${slots}::jsonb) slot,
        jsonb_to_recordset(slot -> 'groups') as g(kind text, mode text, key text, codes int, verified int,
          fallbacks int, cost bigint, seconds int[])
      where (slot ->> 'starts_at')::timestamptz = any(${starts}::timestamptz[])`
    yield* sql`delete from code_sums where customer_id = ${customerId} and span = 'day' and ${kinds} and ${days}`
    yield* sql`
      insert into code_sums (customer_id, span, kind, starts_at, ${sql.literal(COLUMNS)})
      select ${customerId}, 'day', kind,
        date_bin(interval '1 day', starts_at, ${sql.literal(`timestamptz '${ORIGIN_OF_DAYS}'`)}), mode, key,
        sum(codes), sum(verified), sum(fallbacks), sum(cost), ${sql.literal(ADDED_CLASSES)}
      from code_sums where customer_id = ${customerId} and span = 'half_hour' and ${kinds} and ${days}
      group by kind, 4, mode, key`
  })

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

    const rowsIn = (
      { customerId, mode }: InsightFilter,
      kinds: ReadonlyArray<InsightKind>,
      span: "half_hour" | "day",
      { from, to }: TimeSpan
    ) => sql`
      select * from code_sums
      where customer_id = ${customerId} and span = ${span} and kind = any(${[...kinds]}::text[])
        and starts_at >= ${timestamp(from)}::timestamptz and starts_at < ${timestamp(to)}::timestamptz
        and mode = ${mode}`

    /** In the fewest rows. */
    const rowsOfSpan = (filter: InsightFilter, kinds: ReadonlyArray<InsightKind>, span: TimeSpan) => {
      const { before, days, after } = sumsOfSpan(span)
      return sql`
        ${rowsIn(filter, kinds, "day", days)}
        union all ${rowsIn(filter, kinds, "half_hour", before)}
        union all ${rowsIn(filter, kinds, "half_hour", after)}`
    }

    return CodeSumsStore.of({
      totals: (filter, kinds, span) =>
        totalRows(sql`
          select kind, key, ${summed} from (${rowsOfSpan(filter, kinds, span)}) sums group by kind, key`),

      buckets: (filter, begins, to) => {
        const [from, ...rest] = begins
        const span = { from, to }
        const rows = rest.every((begin) => sumsDayOf(begin) === begin)
          ? rowsOfSpan(filter, ["all"], span)
          : rowsIn(filter, ["all"], "half_hour", span)
        return bucketRows(sql`
          select width_bucket(starts_at, ${begins.map(timestamp)}::timestamptz[]) - 1 as bucket, ${summed}
          from (${rows}) sums group by 1 order by 1`)
      },

      // By offsets: the names of zones are not the same in PostgreSQL.
      hours: (filter, span, timeZone) => {
        const offsets = offsetsOf(span, timeZone, SLOT_MILLIS)
        const begins = offsets.map(({ from }) => timestamp(from))
        return hourRows(sql`
          select (floor((extract(epoch from starts_at) + (${offsets.map(({ offset }) => offset / 1000)}::float8[])[
              width_bucket(starts_at, ${begins}::timestamptz[])]) / 3600)::bigint % 24)::int as hour, ${summed}
          from (${rowsIn(filter, ["all"], "half_hour", span)}) sums
          group by 1 order by 1`)
      }
    })
  })
)
