import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import { Alarm } from "../../domain/guard/Alarm.ts"
import { DEFAULT_MODE, GuardMode } from "../../domain/guard/GuardSettings.ts"
import type { CustomerTraffic } from "../../domain/guard/Outage.ts"
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
/** What was sent lately is in columns: so many small records would take long to decode. */
const TrafficRow = Schema.Struct({
  customerId: Schema.Int,
  codesPerHour: Schema.Number,
  conversion: Schema.Number,
  minutes: Schema.Array(Schema.Int),
  channels: Schema.Array(Schema.String),
  codes: Schema.Array(Schema.Number),
  verified: Schema.Array(Schema.Number),
  expected: Schema.Array(Schema.Number)
})
const LATELY_MILLIS = 60 * MINUTE_MILLIS
/** An outage of a provider shows in their codes, if in any. The states of 10 000 customers take 1.5 s to read. */
const MOST_CUSTOMERS = 100

const toTraffic = (row: typeof TrafficRow.Type): CustomerTraffic => ({
  customerId: row.customerId,
  codesPerHour: row.codesPerHour,
  conversion: row.conversion,
  recent: row.minutes.map((minute, nth) => ({
    minute,
    channel: row.channels[nth] ?? "",
    codes: row.codes[nth] ?? 0,
    verified: row.verified[nth] ?? 0,
    expected: row.expected[nth] ?? 0
  }))
})

type RoundWork = Pick<GuardStore["Service"], "source" | "segments" | "platform" | "largest">

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
  const trafficRows = rowsOf(TrafficRow)
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

    largest: (now) =>
      Effect.map(
        trafficRows(reporting`
          select o.customer_id as "customerId", (o.state -> 'usual' ->> 'codesPerHour')::float8 as "codesPerHour",
            coalesce((o.state -> 'usual' ->> 'conversion')::float8, 0) as conversion, r.*
          from (
            select customer_id, state from guard_rounds where judged_until > ${idAt(now - LATELY_MILLIS)}::uuid
            order by codes desc limit ${MOST_CUSTOMERS}) o
          cross join lateral (
            select coalesce(array_agg(e.minute), '{}') as minutes, coalesce(array_agg(e.channel), '{}') as channels,
              coalesce(array_agg(e.codes), '{}') as codes, coalesce(array_agg(e.verified), '{}') as verified,
              coalesce(array_agg(e.expected), '{}') as expected
            from jsonb_to_recordset(o.state -> 'recent')
              as e (minute int, channel text, codes float8, verified float8, expected float8)
            where e.minute > ${Math.floor((now - LATELY_MILLIS) / MINUTE_MILLIS)}) r
          where (o.state -> 'usual' ->> 'codesPerHour')::float8 > 0`),
        (rows) => rows.map(toTraffic)
      )
  }
  return work
})
