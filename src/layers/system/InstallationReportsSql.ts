import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { tehranDay } from "../../domain/Calendar.ts"
import { DAY_MILLIS, type Instant } from "../../domain/Instant.ts"
import { lowestIdFrom } from "../../domain/Paging.ts"
import { version } from "../config/Version.ts"
import { InstantColumn, RialsColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { SHOWN_AFTER } from "./ProcessLease.ts"
import { CustomerRows } from "../../services/customer/CustomerRows.ts"
import {
  type CustomerFigures,
  InstallationReports,
  MAX_COUNTED
} from "../../services/system/InstallationReports.ts"

const FiguresRow = Schema.Struct({
  customerId: Schema.Int,
  codes: Schema.Int,
  messages: Schema.Int,
  available: RialsColumn
})
const ProcessRow = Schema.Struct({
  id: Schema.String,
  host: Schema.String,
  pid: Schema.Int,
  version: Schema.String,
  startedAt: InstantColumn,
  isAlive: Schema.Boolean
})
const GuardRow = Schema.Struct({
  enforcing: Schema.Int,
  alarmed: Schema.Int,
  openAlarms: Schema.Int,
  refused: Schema.Int,
  flagged: Schema.Int,
  flaggedVerified: Schema.Int
})
const MAX_PROCESSES = 100
const BytesRow = Schema.Struct({ bytes: Schema.Number })

/** A customer's rows are together: the other parts of the store have none of them. */
const merged = (
  found: ReadonlyArray<ReadonlyArray<CustomerFigures>>
): ReadonlyMap<number, CustomerFigures> => {
  const all = new Map<number, CustomerFigures>()
  for (const each of found.flat()) {
    const other = all.get(each.customerId) ?? { codes: 0, messages: 0, available: 0 }
    all.set(each.customerId, {
      customerId: each.customerId,
      codes: each.codes + other.codes,
      messages: each.messages + other.messages,
      available: each.available + other.available
    })
  }
  return all
}

export const InstallationReportsSql = Layer.effect(
  InstallationReports,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { inEach } = yield* CustomerRows
    const figuresRows = rowsOf(FiguresRow)
    const bytesRows = rowsOf(BytesRow)

    const counted = (table: "verifications" | "messages", from: Instant) => sql`
      select count(*)::int as sends from (
        select from ${sql(table)} r where r.customer_id = c and r.id >= ${lowestIdFrom(from)}::uuid
          and r.created_at >= ${timestamp(from)}::timestamptz and r.mode = 'live' limit ${MAX_COUNTED}::int) found`

    // The sums of a customer with few sends are made only when somebody asks for them: those are counted.
    const figures = (ids: ReadonlyArray<number>, from: Instant) =>
      figuresRows(sql`
        select c as "customerId", greatest(v.sends, s.codes)::int as codes, m.sends as messages,
          coalesce(w.available, 0)::bigint as available
        from unnest(${[...ids]}::int[]) c
          cross join lateral (${counted("verifications", from)}) v
          cross join lateral (${counted("messages", from)}) m
          cross join lateral (select coalesce(sum(codes), 0) as codes from code_sums where customer_id = c
            and span = 'half_hour' and kind = 'all' and mode = 'live'
            and starts_at >= ${timestamp(from)}::timestamptz) s
          cross join lateral (select sum(balance) - sum(held) as available from wallets where customer_id = c) w`)

    const processRows = rowsOf(ProcessRow)
    const guardRows = rowsOf(GuardRow)

    return InstallationReports.of({
      version,

      processes: (now) =>
        processRows(sql`
          select id, host, pid, version, started_at as "startedAt",
            alive_until > ${timestamp(now)}::timestamptz as "isAlive"
          from processes
          where alive_until > ${timestamp(now)}::timestamptz - ${sql.literal(`interval '${SHOWN_AFTER}'`)}
          order by started_at desc, id limit ${MAX_PROCESSES}`),

      guard: (now) =>
        Effect.flatMap(
          guardRows(sql`
            select (select count(*)::int from guard_settings where mode = 'enforcing') as enforcing,
              a.customers as alarmed, a.alarms as "openAlarms", d.*
            from (select count(*)::int as alarms, count(distinct customer_id)::int as customers
                from guard_alarms where cleared_at is null) a
              cross join (select coalesce(sum(refused), 0)::int as refused, coalesce(sum(flagged), 0)::int as flagged,
                  coalesce(sum(flagged_verified), 0)::int as "flaggedVerified"
                from guard_days where day > ${tehranDay(now)}::date - 7) d`),
          ([row]) => (row === undefined ? Effect.die("sums have a row") : Effect.succeed(row))
        ),

      customers: (ids, now) =>
        ids.length === 0
          ? Effect.succeed(new Map())
          : Effect.map(inEach(figures(ids, now - DAY_MILLIS)), merged),

      storeBytes: Effect.map(
        bytesRows(sql`select pg_database_size(current_database())::float8 as bytes`),
        ([row]) => row?.bytes ?? 0
      )
    })
  })
)
