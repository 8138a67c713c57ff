import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { SLOT_MILLIS } from "../../domain/Activity.ts"
import { Instant } from "../../domain/Instant.ts"
import { AttemptErrorCode } from "../../domain/ProviderOutcome.ts"
import { instantOf, lowestIdFrom } from "../../domain/Paging.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { AccountHistoryRecords } from "../../services/account/AccountHistories.ts"

const SendStatus = Schema.Literals(["sent", "failed"])

const HistoryRow = Schema.Struct({
  codes: Schema.Int,
  messages: Schema.Int,
  oldestCode: Schema.NullOr(Schema.String),
  oldestMessage: Schema.NullOr(Schema.String),
  counts: Schema.Array(
    Schema.Struct({
      slot: Instant,
      status: SendStatus,
      errorCode: Schema.NullOr(AttemptErrorCode),
      delivery: Schema.NullOr(Schema.String),
      count: Schema.Int
    })
  ),
  last: Schema.Array(
    Schema.Struct({
      kind: Schema.Literals(["code", "message"]),
      id: Schema.String,
      phone: Schema.String,
      at: Instant,
      status: SendStatus,
      errorCode: Schema.NullOr(AttemptErrorCode),
      providerError: Schema.NullOr(Schema.String),
      delivery: Schema.NullOr(Schema.String)
    })
  )
})
const BalanceRow = Schema.Struct({ at: InstantColumn, credit: Schema.Finite })

/** Attempts have no index by account: every send would pay for it. Reading as many takes about 30 ms. */
const MAX_READ = 5000
const MAX_SHOWN = 20

/** Up to where everything was read: the newest of the ids at which reading stopped. */
const readFrom = (
  { codes, messages, oldestCode, oldestMessage }: typeof HistoryRow.Type,
  from: Instant
): Instant =>
  Math.max(
    from,
    codes < MAX_READ || oldestCode === null ? from : instantOf(oldestCode),
    messages < MAX_READ || oldestMessage === null ? from : instantOf(oldestMessage)
  )

export const AccountHistoriesSql = Layer.effect(
  AccountHistoryRecords,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const historyRows = rowsOf(HistoryRow)
    const balanceRows = rowsOf(BalanceRow)

    const latest = (kind: "code" | "message", customerId: number, from: Instant) => {
      const table = sql(kind === "code" ? "verifications" : "messages")
      // not a plain comparison: see isLive
      return sql`(select ${kind} as kind, r.id, r.phone, r.route, r.attempts from ${table} r
        where r.customer_id = ${customerId} and r.id >= ${lowestIdFrom(from)}::uuid
          and case r.mode when 'live' then true else false end
        order by r.id desc limit ${MAX_READ})`
    }

    return AccountHistoryRecords.of({
      sends: Effect.fnUntraced(function* (customerId, id, from) {
        const [row] = yield* historyRows(sql`
          with record as materialized (
            ${latest("code", customerId, from)} union all ${latest("message", customerId, from)}),
          attempt as materialized (
            select r.kind, r.id, r.phone, a ->> 'status' as status, (a ->> 'attempted_at')::bigint as at,
              a ->> 'error_code' as "errorCode", a ->> 'provider_error' as "providerError",
              a -> 'delivery' ->> 'status' as delivery
            from record r, jsonb_array_elements(r.attempts) a
            where r.route -> (a ->> 'step')::int ->> 'account_id' = ${String(id)}
              and (a ->> 'attempted_at')::bigint >= ${from} and a ->> 'status' in ('sent', 'failed'))
          select (select count(*)::int from record where kind = 'code') as codes,
            (select count(*)::int from record where kind = 'message') as messages,
            (select id from record where kind = 'code' order by id limit 1) as "oldestCode",
            (select id from record where kind = 'message' order by id limit 1) as "oldestMessage",
            (select coalesce(jsonb_agg(c), '[]') from (
              select at / ${SLOT_MILLIS}::bigint * ${SLOT_MILLIS}::bigint as slot, status, "errorCode", delivery,
                count(*) as count
              from attempt group by 1, 2, 3, 4) c) as counts,
            (select coalesce(jsonb_agg(l), '[]') from (
              select * from attempt order by at desc, id desc limit ${MAX_SHOWN}) l) as last`)
        if (row === undefined) return yield* Effect.die("a select without a table returned no row")
        const read = readFrom(row, from)
        return { from: read, isWhole: read === from, counts: row.counts, last: row.last }
      }),

      balances: (id, zone, from) =>
        balanceRows(sql`
          select distinct on (day) b.noted_at as at, b.credit from (
            select *, date_trunc('day', noted_at at time zone ${zone}) as day from account_balances
            where account_id = ${id} and noted_at >= ${timestamp(from)}) b
          order by day, b.noted_at desc`)
    })
  })
)
