import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { lowestIdAfter, lowestIdFrom } from "../../domain/Paging.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { isLive, rowsOf } from "../postgres/SqlRows.ts"
import { ChannelResults } from "../../services/customer/SetUpConcerns.ts"

const ResultRow = Schema.Struct({
  channel: Channel,
  codes: Schema.Int,
  accepted: Schema.Int,
  arrived: Schema.Int
})

/** More codes say no more about a channel. */
const MAX_CODES = 1000

export const ChannelResultsSql = Layer.effect(
  ChannelResults,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const resultRows = rowsOf(ResultRow)
    return ChannelResults.of({
      read: (customerId, { from, to }) =>
        resultRows(sql`
          with code as materialized (
            select v.route, v.attempts, v.status from verifications v
            where v.customer_id = ${customerId} and ${sql.literal(isLive)} and v.id >= ${lowestIdFrom(from)}::uuid
              and v.id < ${lowestIdAfter(to)}::uuid and v.status <> 'canceled'
            order by v.id desc limit ${MAX_CODES})
          select c.route -> (a.attempt ->> 'step')::int ->> 'channel' as channel, count(*)::int as codes,
            (count(*) filter (where a.attempt ->> 'status' = 'sent'))::int as accepted,
            (count(*) filter (where a.attempt -> 'delivery' ->> 'status' = 'delivered'
              or c.status = 'verified' and a.nth = jsonb_array_length(c.attempts)))::int as arrived
          from code c, jsonb_array_elements(c.attempts) with ordinality as a (attempt, nth)
          where a.attempt ->> 'attempted_at' is not null
          group by 1 order by 1`)
    })
  })
)
