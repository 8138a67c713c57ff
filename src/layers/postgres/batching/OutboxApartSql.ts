import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Instant } from "../../../domain/Instant.ts"
import type { KeyMode } from "../../../domain/customer/Customer.ts"
import { type BatchColumn, decodedAs } from "../SqlRows.ts"
import { inStore } from "../SetUpPlace.ts"
import { rowStatement, type Sent, sendAll, sent } from "./RowStatements.ts"

/** An event of a send that is written with it. */
export interface ApartEvent {
  readonly customerId: number
  readonly id: string
  readonly type: string
  readonly subject: string
  /** How many events of its send come after it in this statement. */
  readonly before: number
  /** The changing part of the send, as JSON. */
  readonly data: string
  readonly occurredAt: Instant
}

const columns: ReadonlyArray<BatchColumn<ApartEvent>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "event_id", type: "uuid", of: ({ id }) => id },
  { name: "event_type", type: "text", of: ({ type }) => type },
  { name: "subject", type: "uuid", of: ({ subject }) => subject },
  { name: "before", type: "int4", of: ({ before }) => before },
  { name: "event_data", type: "text", of: ({ data }) => data },
  { name: "occurred", type: "timestamptz", of: ({ occurredAt }) => occurredAt }
]

interface Wanted extends Pick<ApartEvent, "customerId" | "id" | "occurredAt"> {
  readonly endpointId: number
  readonly lane: number
}

const wantedColumns: ReadonlyArray<BatchColumn<Wanted>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "event_id", type: "uuid", of: ({ id }) => id },
  { name: "endpoint", type: "int4", of: ({ endpointId }) => endpointId },
  { name: "timer_lane", type: "int2", of: ({ lane }) => lane },
  { name: "occurred", type: "timestamptz", of: ({ occurredAt }) => occurredAt }
]

const deliveries = rowStatement(
  wantedColumns,
  (rows) => `
  insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at, next_try_at)
  select r.customer_id, r.endpoint, r.event_id, 'pending', r.occurred, r.occurred from here h, ${rows}`
)

const webhookTimers = rowStatement(
  wantedColumns,
  (rows) => `
  insert into timers as t (customer_id, kind, subject, lane, claimable_at)
  select r.customer_id, 'webhook', r.event_id, r.timer_lane, r.occurred from here h, ${rows}
  on conflict (customer_id, kind, subject, lane) do update set claimable_at = excluded.claimable_at
  where t.lease_token is null`
)

const EndpointRows = Schema.Array(
  Schema.Struct({
    customerId: Schema.Int,
    id: Schema.Int,
    lane: Schema.Int,
    events: Schema.Array(Schema.String)
  })
)

const ANY_EVENT = "*"

/** The outbox of sends where the set-up is apart: endpoints are a part of it. */
export const outboxApart = (mode: KeyMode, table: "verifications" | "messages") => {
  const decoded = decodedAs(EndpointRows)
  const events = rowStatement(
    columns,
    (rows) => `
    insert into events (customer_id, id, type, subject, sequence, data, occurred_at, mode)
    select r.customer_id, r.event_id, r.event_type, r.subject, s.events_written - r.before, r.event_data::jsonb,
      r.occurred, '${mode}'
    from ${table} s, ${rows} where s.customer_id = r.customer_id and s.id = r.subject`
  )
  const endpointsOf =
    (written: ReadonlyArray<ApartEvent>): Sent =>
    (sql) =>
      inStore(
        sql,
        sql.unsafe(
          `select customer_id as "customerId", id, lane, events from webhook_endpoints
        where customer_id = any($1::int[]) and disabled_at is null and mode = '${mode}'`,
          [[...new Set(written.map(({ customerId }) => customerId))]]
        )
      )
  return {
    /** Stores the events, and reads the endpoints that may want them: their rows come last. */
    statements: (written: ReadonlyArray<ApartEvent>): ReadonlyArray<Sent> =>
      written.length === 0 ? [] : [sent(events, written), endpointsOf(written)],

    /** Makes deliveries to the endpoints that want the events; how many. */
    deliver: Effect.fnUntraced(function* (
      sql: SqlClient.SqlClient,
      written: ReadonlyArray<ApartEvent>,
      found: ReadonlyArray<unknown>
    ): Effect.fn.Return<number, SqlError.SqlError> {
      const endpoints = yield* decoded(Effect.succeed(found))
      const wanted = endpoints.flatMap(({ customerId, id: endpointId, lane, events: wants }) =>
        written
          .filter((event) => event.customerId === customerId)
          .filter(({ type }) => wants.includes(type) || wants.includes(ANY_EVENT))
          .map((event): Wanted => ({ ...event, endpointId, lane }))
      )
      if (wanted.length > 0) yield* sendAll(sql, [sent(deliveries, wanted), sent(webhookTimers, wanted)])
      return wanted.length
    })
  }
}
