import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { HOUR_MILLIS, Instant } from "../../domain/Instant.ts"
import { instantOf, lowestIdFrom } from "../../domain/Paging.ts"
import { rowsOf } from "../postgres/SqlRows.ts"
import type { Webhooks } from "../../services/webhook/Webhooks.ts"

const HistoryRow = Schema.Struct({
  read: Schema.Int,
  oldest: Schema.NullOr(Schema.String),
  hours: Schema.Array(
    Schema.Struct({
      hour: Instant,
      accepted: Schema.Int,
      failed: Schema.Int,
      median: Schema.Finite,
      slow: Schema.Finite
    })
  )
})

/** The figures are of the deliveries themselves, of so many at most. */
const MAX_READ = 5000

/** How the tries of late went: those of the newest deliveries, and of what was sent again. */
export const webhookHistory = (sql: SqlClient.SqlClient): Pick<Webhooks["Service"], "history"> => {
  const historyRows = rowsOf(HistoryRow)
  return {
    history: Effect.fnUntraced(function* (customerId, id, from) {
      const part = (position: "event_id" | "replay_id", isReplayed: boolean) => {
        const column = sql(position)
        return sql`(select ${column} as position, tries from webhook_deliveries
          where customer_id = ${customerId} and endpoint_id = ${id} and ${column} >= ${lowestIdFrom(from)}::uuid
            and ${isReplayed ? sql`replay_id is not null` : sql`replay_id is null`}
          order by ${column} desc limit ${MAX_READ})`
      }
      const [row] = yield* historyRows(sql`
        with delivery as materialized (
          select * from (${part("event_id", false)} union all ${part("replay_id", true)}) d
          order by position desc limit ${MAX_READ}),
        made as materialized (
          select (t ->> 'at')::bigint as at, (t ->> 'status')::int between 200 and 299 as taken,
            (t ->> 'duration_ms')::int as millis
          from delivery, jsonb_array_elements(tries) t where (t ->> 'at')::bigint >= ${from})
        select (select count(*)::int from delivery) as read,
          (select position from delivery order by position limit 1) as oldest,
          (select coalesce(jsonb_agg(h order by h.hour), '[]') from (
            select ${from}::bigint + (at - ${from}::bigint) / ${HOUR_MILLIS}::bigint * ${HOUR_MILLIS}::bigint as hour,
              count(*) filter (where taken) as accepted, count(*) filter (where taken is not true) as failed,
              percentile_cont(0.5) within group (order by millis) as median,
              percentile_cont(0.95) within group (order by millis) as slow
            from made group by 1) h) as hours`)
      if (row === undefined) return yield* Effect.die("a history returned no row")
      const { read, oldest, hours } = row
      const isWhole = read < MAX_READ || oldest === null
      return { from: isWhole ? from : Math.max(from, instantOf(oldest)), isWhole, hours }
    })
  }
}
