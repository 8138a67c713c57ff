import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"
import { type Judgement, MAX_EXCHANGES, type WebhookExchange } from "../../domain/Webhook.ts"
import type { DueDelivery, RecordedTry } from "../../services/webhook/WebhookStore.ts"
import {
  type BatchColumn,
  batchSource,
  decodedAs,
  retryRaces,
  statementOfShape,
  withConstants
} from "../postgres/SqlRows.ts"
import { type BatchClients, makeStatementBatch } from "../postgres/batching/StatementBatch.ts"
import { SetUpIsApart } from "../postgres/SetUpPlace.ts"
import { rowStatement, sent } from "../postgres/batching/RowStatements.ts"
import { isLeasedBy, TIMER_KIND, timerColumns, WEBHOOK_TIMER } from "./WebhookTimers.ts"

/** The outcome of a try. */
interface TriedDelivery {
  readonly timer: LeasedTimer
  readonly due: DueDelivery
  readonly judgement: Judgement
  readonly exchange: WebhookExchange
  readonly now: Instant
}

const columns: ReadonlyArray<BatchColumn<TriedDelivery>> = [
  ...timerColumns,
  { name: "endpoint_id", type: "int4", of: ({ due }) => due.endpointId },
  { name: "url", type: "text", of: ({ due }) => due.url },
  { name: "was_due_at", type: "timestamptz", of: ({ due }) => due.nextTryAt },
  { name: "now", type: "timestamptz", of: ({ now }) => now },
  { name: "status", type: "text", of: ({ judgement }) => judgement.status },
  { name: "tries", type: "text", cast: "jsonb", of: ({ judgement }) => JSON.stringify(judgement.tries) },
  { name: "exchange", type: "text", cast: "jsonb", of: ({ exchange }) => JSON.stringify([exchange]) },
  { name: "started_at", type: "timestamptz", of: ({ judgement }) => judgement.startedAt },
  { name: "next_try_at", type: "timestamptz", of: ({ judgement }) => judgement.nextTryAt },
  { name: "tried_at", type: "timestamptz", of: ({ judgement }) => judgement.tries.at(-1)?.at ?? null },
  { name: "failing_since", type: "timestamptz", of: ({ judgement }) => judgement.failingSince },
  { name: "disables", type: "text", of: ({ judgement }) => judgement.disables }
]
const source = batchSource(columns)

const Indexes = Schema.Array(Schema.Int)
/** The indexes of requests; null: all were written. */
const OutcomeRow = Schema.Struct({ written: Schema.NullOr(Indexes), restarted: Indexes })

const resultOf = ({ written, restarted }: typeof OutcomeRow.Type, index: number): RecordedTry => {
  if (restarted.includes(index)) return "restarted"
  return written === null || written.includes(index) ? "recorded" : "lost"
}

interface RecordShape {
  readonly hasDisabled: boolean
}

const disabled = {
  sets: `,
      disabled_at = case when o.disables is null then w.disabled_at else coalesce(w.disabled_at, o.now) end,
      disabled_reason = coalesce(w.disabled_reason, o.disables)`,
  condition: "o.disables is not null or"
}

/** Locks the delivery first, then its timer. `was_restarted` marks a delivery that was restarted during the try. */
const DELIVERY_PARTS = `
  current as materialized (
    select r.*, d.next_try_at is distinct from r.was_due_at as was_restarted
    from r join webhook_deliveries d
      on d.customer_id = r.customer_id and d.endpoint_id = r.endpoint_id and d.event_id = r.event_id
    for update of d),
  moved as (
    update timers t set lease_token = null, claimable_at = case when c.was_restarted then c.now else c.next_try_at end
    from current c
    where (c.was_restarted or c.next_try_at is not null) and ${isLeasedBy("c")}
    returning c.nth),
  removed as (
    delete from timers t using current c
    where not c.was_restarted and c.next_try_at is null and ${isLeasedBy("c")}
    returning c.nth),
  held as materialized (
    select c.* from current c
    where c.nth in (select nth from moved union all select nth from removed)),
  delivery as (
    update webhook_deliveries d set tries = h.tries,
      exchanges = jsonb_path_query_array(d.exchanges, '$[last - ${MAX_EXCHANGES - 2} to last]') || h.exchange,
      status = case when h.was_restarted then d.status else h.status end,
      started_at = case when h.was_restarted then d.started_at else h.started_at end,
      next_try_at = case when h.was_restarted then d.next_try_at else h.next_try_at end,
      finished_at = case when h.was_restarted then d.finished_at when h.status <> 'pending' then h.now end
    from held h
    where d.customer_id = h.customer_id and d.endpoint_id = h.endpoint_id and d.event_id = h.event_id)`

/** Then the endpoint, as a replay does. Its outcomes in one batch are one change: only failures after the last success count. */
const endpointParts = ({ hasDisabled }: RecordShape): string => {
  const { sets, condition } = hasDisabled ? disabled : { sets: "", condition: "" }
  return `
  succeeded as (
    select customer_id, endpoint_id, url, max(now) as at from held where status = 'delivered' group by 1, 2, 3),
  outcome as materialized (
    select h.customer_id, h.endpoint_id, h.url, s.at as succeeded_at, max(h.now) as now,
      max(h.disables) as disables,
      min(case when s.at is null then h.failing_since when h.now > s.at then h.tried_at end)
        filter (where h.status <> 'delivered') as failing_since
    from held h left join succeeded s
      on s.customer_id = h.customer_id and s.endpoint_id = h.endpoint_id and s.url = h.url
    group by 1, 2, 3, 4 order by 1, 2),
  endpoint as (
    update webhook_endpoints w set
      failing_since = case when o.succeeded_at is null then coalesce(w.failing_since, o.failing_since)
        else o.failing_since end${sets}
    from outcome o
    where w.customer_id = o.customer_id and w.id = o.endpoint_id and w.url = o.url
      and (${condition} (w.failing_since is null) <> (o.failing_since is null)
        or o.succeeded_at is not null and o.failing_since is not null))`
}

const recordStatement = (shape: RecordShape) => {
  const text = `
  with ${withConstants(source.rows, TIMER_KIND)},${DELIVERY_PARTS},${endpointParts(shape)}
  select (select case when count(*) < cardinality($1) then coalesce(array_agg(nth::int), '{}') end
      from held) as written,
    (select coalesce(array_agg(nth::int), '{}') from held where was_restarted) as restarted`
  return { text, parameters: source.parameters }
}

type Records = (
  sql: SqlClient.SqlClient,
  tried: ReadonlyArray<TriedDelivery>,
  shape: RecordShape
) => Effect.Effect<typeof OutcomeRow.Type, SqlError.SqlError>

const recording = (): Records => {
  const statementOf = statementOfShape(recordStatement)
  const decoded = decodedAs(Schema.Tuple([OutcomeRow]))
  return (sql, tried, shape) => {
    const { text, parameters } = statementOf(shape)
    return Effect.map(decoded(sql.unsafe(text, parameters(tried))), ([outcome]) => outcome)
  }
}

/** Endpoints are a part of the set-up, their deliveries are not. */
const recordingApart = (): Records => {
  const deliveries = rowStatement(
    columns,
    (rows) => `
    with r as materialized (
      select ${columns.map(({ name, cast }) => (cast === undefined ? name : `${name}::${cast} as ${name}`)).join(", ")}, nth,
        '${WEBHOOK_TIMER}'::text as timer_kind from ${rows}),${DELIVERY_PARTS}
    select nth, was_restarted as "wasRestarted" from held`
  )
  const endpointsOf = statementOfShape((shape: RecordShape) =>
    rowStatement(
      columns,
      (rows) =>
        `with held as materialized (select * from ${rows}),${endpointParts(shape)} select 1 as recorded`
    )
  )
  const decoded = decodedAs(Schema.Array(Schema.Struct({ nth: Schema.Int, wasRestarted: Schema.Boolean })))
  return (sql, tried, shape) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const held = yield* decoded(sent(deliveries, tried)(sql))
        const places = new Set(held.map(({ nth }) => nth))
        const written = tried.filter((_, index) => places.has(index + 1))
        if (written.length > 0) yield* sent(endpointsOf(shape), written)(sql)
        return {
          written: [...places],
          restarted: held.flatMap(({ nth, wasRestarted }) => (wasRestarted ? [nth] : []))
        }
      })
    )
}

/** Records the outcomes of many tries in one statement. */
export const makeRecordTries = (clients: BatchClients) =>
  Effect.flatMap(SetUpIsApart, (areApart) => {
    const records = areApart ? recordingApart() : recording()
    return makeStatementBatch<SqlClient.SqlClient, TriedDelivery, RecordedTry>(clients, {
      name: "webhook_record",
      conflictsOf: ({ due, timer }) => [`${due.eventId}:${timer.lane}`],
      orderOf: ({ due: { customerId, endpointId, eventId } }) => `${customerId}:${endpointId}:${eventId}`,
      run: (sql, tried) => {
        const hasDisabled = tried.some(({ judgement }) => judgement.disables !== null)
        return Effect.map(retryRaces(records(sql, tried, { hasDisabled })), (outcome) =>
          tried.map((_, index) => resultOf(outcome, index + 1))
        )
      }
    })
  })
