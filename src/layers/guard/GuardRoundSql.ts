import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import { Alarm } from "../../domain/guard/Alarm.ts"
import { DEFAULT_MODE, GuardMode } from "../../domain/guard/GuardSettings.ts"
import { RecentCodes } from "../../domain/guard/Outage.ts"
import { CustomerState } from "../../domain/guard/CustomerState.ts"
import { type Segment, SegmentKind, segmentName, SegmentState } from "../../domain/guard/Segments.ts"
import { idAt } from "../../domain/Paging.ts"
import type { GuardStore } from "../../services/guard/GuardStore.ts"
import { inStore } from "../postgres/SetUpPlace.ts"
import { batchSource, rowsOf } from "../postgres/SqlRows.ts"
import type { BatchClients } from "../postgres/batching/StatementBatch.ts"
import { FEW_SEGMENTS, makeRoundReads, roundRows } from "./RoundReadsSql.ts"

const SourceRow = Schema.Struct({
  nth: Schema.Int,
  state: Schema.NullOr(CustomerState),
  judgedUntil: Schema.NullOr(Schema.String),
  mode: Schema.NullOr(GuardMode),
  alarms: Schema.Array(Schema.Struct({ ...Alarm.fields, id: Schema.String, enforced: Schema.Boolean })),
  refusedWhole: Schema.Int
})
const SegmentRow = Schema.Struct({
  nth: Schema.Int,
  kind: SegmentKind,
  key: Schema.String,
  state: SegmentState
})
const TallyRow = Schema.Struct({ codes: Schema.Number, verified: Schema.Number })
const OthersRow = Schema.Struct({
  recent: Schema.Array(RecentCodes),
  codesPerHour: Schema.Number,
  verifiedPerHour: Schema.Number
})
const OTHERS_MILLIS = 60 * MINUTE_MILLIS

type RoundWork = Pick<GuardStore["Service"], "source" | "segments" | "platform" | "others">

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`

const customers = batchSource<number>([{ name: "customer_id", type: "int4", of: (customerId) => customerId }])

/** One by one: joined, those of all customers may be read. */
const SOURCES = `
  select r.nth::int, g.state, g.judged_until as "judgedUntil", s.mode, coalesce((
    select jsonb_agg(jsonb_build_object('id', a.id, 'kind', a.kind, 'key', a.key, 'reason', a.reason,
      'level', a.level, 'action', a.action, 'enforced', a.enforced, 'codes', a.codes,
      'verified', a.verified, 'startedAt', ${millis("a.started_at")}, 'until', ${millis("a.until")}))
    from guard_alarms a where a.customer_id = r.customer_id and a.cleared_at is null), '[]') as alarms, (
    select coalesce(sum(d.refused_whole), 0)::float8
    from guard_days d where d.customer_id = r.customer_id) as "refusedWhole"
  from ${customers.rows}
  left join lateral (
    select state, judged_until from guard_rounds where customer_id = r.customer_id limit 1) g on true
  left join lateral (select mode from guard_settings where customer_id = r.customer_id limit 1) s on true`

interface SegmentsRequest {
  readonly customerId: number
  readonly segments: ReadonlyArray<Segment>
}

const wanted = batchSource<SegmentsRequest>([
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "segments", type: "text", of: ({ segments }) => JSON.stringify(segments), cast: "jsonb" }
])

const SEGMENTS = `
  select r.nth::int, s.kind, s.key, s.state
  from ${wanted.rows} cross join lateral jsonb_to_recordset(r.segments) as w (kind text, key text)
  cross join lateral (
    select * from guard_segments g
    where g.customer_id = r.customer_id and g.kind = w.kind and g.key = w.key limit 1) s`

/** @param reporting for what is read of all customers */
export const guardRoundReads = Effect.fnUntraced(function* (
  clients: BatchClients,
  reporting: SqlClient.SqlClient
) {
  const { batched } = clients
  const readSource = yield* makeRoundReads(clients, {
    source: customers,
    statement: SOURCES,
    row: SourceRow,
    isInStore: true
  })
  const readFew = yield* makeRoundReads(clients, {
    source: wanted,
    statement: SEGMENTS,
    row: SegmentRow,
    isInStore: true
  })
  const segmentRows = roundRows(wanted, SEGMENTS, SegmentRow)
  const readMany = (request: SegmentsRequest) =>
    Effect.map(Effect.orDie(inStore(batched, segmentRows(batched, [request]))), (found) => found.flat())
  const tallyRows = rowsOf(TallyRow)
  const othersRows = rowsOf(OthersRow)
  const work: RoundWork = {
    source: (customerId) =>
      Effect.map(readSource(customerId), ([row]) =>
        row === undefined
          ? { state: null, judgedUntil: null, mode: DEFAULT_MODE, alarms: [], refusedWhole: 0 }
          : { ...row, mode: row.mode ?? DEFAULT_MODE }
      ),

    segments: (customerId, segments) => {
      if (segments.length === 0) return Effect.succeed(new Map())
      const request = { customerId, segments }
      return Effect.map(
        segments.length > FEW_SEGMENTS ? readMany(request) : readFew(request),
        (rows) => new Map(rows.map((row) => [segmentName(row), row.state]))
      )
    },

    platform: Effect.map(
      tallyRows(reporting`
        select coalesce(sum(codes), 0)::float8 as codes, coalesce(sum(verified), 0)::float8 as verified
        from guard_rounds`),
      ([row]) => [row?.codes ?? 0, row?.verified ?? 0] as const
    ),

    others: (customerId, now) =>
      Effect.map(
        othersRows(reporting`
          with other as materialized (
            select g.customer_id as id, g.state, (g.state -> 'usual' ->> 'codesPerHour')::float8 as usual,
              (g.state -> 'usual' ->> 'conversion')::float8 as conversion
            from guard_rounds g
            where g.customer_id <> ${customerId} and g.judged_until > ${idAt(now - OTHERS_MILLIS)}::uuid),
          -- no customer counts for more than the third largest: none is more than a third of what is seen
          weighed as materialized (
            select o.id, least(1, third.usual / o.usual) as weight, o.usual, o.conversion
            from other o, (select usual from other order by usual desc limit 1 offset 2) third
            where o.usual > 0),
          minute as materialized (
            select w.id, (r ->> 'minute')::int as minute, r ->> 'channel' as channel,
              weight * (r ->> 'codes')::float8 as codes, weight * (r ->> 'verified')::float8 as verified,
              weight * (r ->> 'expected')::float8 as expected
            from weighed w join other o using (id), jsonb_array_elements(o.state -> 'recent') r
            where (r ->> 'minute')::int > ${Math.floor((now - OTHERS_MILLIS) / MINUTE_MILLIS)}),
          -- one customer alone makes no outage: it must show without the one that misses the most verified codes
          left_out as materialized (
            select id from minute group by id order by sum(expected - verified) desc, id limit 1)
          select coalesce((
              select jsonb_agg(m) from (
                select minute, channel, sum(codes) as codes, sum(verified) as verified, sum(expected) as expected
                from minute where id not in (select id from left_out)
                group by 1, 2) m), '[]') as recent,
            coalesce(sum(weight * usual), 0) as "codesPerHour",
            coalesce(sum(weight * usual * conversion), 0) as "verifiedPerHour"
          from weighed where id not in (select id from left_out)`),
        ([row]) => ({
          recent: row?.recent ?? [],
          usual: {
            codesPerHour: row?.codesPerHour ?? 0,
            conversion: (row?.verifiedPerHour ?? 0) / Math.max(1e-9, row?.codesPerHour ?? 0)
          }
        })
      )
  }
  return work
})
