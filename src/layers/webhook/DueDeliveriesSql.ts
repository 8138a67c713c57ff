import { Effect, type Option, Redacted, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"
import { isWantedEvent, TEST_EVENT, WebhookTry } from "../../domain/Webhook.ts"
import { webhookPayload } from "../../http/manage/WebhookPayload.ts"
import type { DueDelivery } from "../../services/webhook/WebhookStore.ts"
import type { MasterKey } from "../crypto/Crypto.ts"
import {
  type BatchColumn,
  batchSource,
  decodedAs,
  inOrder,
  InstantColumn,
  withConstants
} from "../postgres/SqlRows.ts"
import { type BatchClients, makeStatementBatch } from "../postgres/batching/StatementBatch.ts"
import { EVENT_SUBJECT, EventSubjectColumn, toSubject } from "./WebhookEventSql.ts"
import { TAKES } from "./OutboxSql.ts"
import { openWebhookSecret, type SecretOwner } from "./WebhooksSql.ts"
import { SetUpIsApart } from "../postgres/SetUpPlace.ts"
import { rowStatement, sent } from "../postgres/batching/RowStatements.ts"
import { isLeasedBy, TIMER_KIND, timerColumns, WEBHOOK_TIMER } from "./WebhookTimers.ts"

interface DueTimerAt {
  readonly timer: LeasedTimer
  readonly now: Instant
}

const DueRow = Schema.Struct({
  nth: Schema.Int,
  endpointId: Schema.Int,
  url: Schema.String,
  accepts: Schema.Boolean,
  failingSince: Schema.NullOr(InstantColumn),
  sealedSecret: Schema.Uint8Array,
  sealedPreviousSecret: Schema.NullOr(Schema.Uint8Array),
  tries: Schema.Array(WebhookTry),
  startedAt: Schema.NullOr(InstantColumn),
  nextTryAt: Schema.NullOr(InstantColumn),
  type: Schema.String,
  mode: KeyMode,
  sequence: Schema.Int,
  occurredAt: InstantColumn,
  /** Null if the event's record was deleted. */
  subject: Schema.NullOr(EventSubjectColumn)
})

type OpenSecret = (owner: SecretOwner, sealed: Uint8Array) => Redacted.Redacted

/** Opens each secret once: the deliveries of a batch are often for one endpoint. */
const makeOpenSecret = (key: MasterKey["Service"]): OpenSecret => {
  const opened = new Map<string, Redacted.Redacted>()
  return ({ customerId, lane }, sealed) => {
    const id = `${customerId}:${lane}:${Buffer.from(sealed).toString("latin1")}`
    const known = opened.get(id) ?? Redacted.make(openWebhookSecret(key, { customerId, lane }, sealed))
    opened.set(id, known)
    return known
  }
}

const toDue = (open: OpenSecret, timer: LeasedTimer, row: typeof DueRow.Type): DueDelivery | null => {
  const { endpointId, url, accepts, failingSince, tries, startedAt, nextTryAt } = row
  const { type, mode, sequence, occurredAt, subject } = row
  if (subject === null) return null
  const { customerId, subject: eventId } = timer
  const previous = row.sealedPreviousSecret === null ? [] : [open(timer, row.sealedPreviousSecret)]
  return {
    customerId,
    endpointId,
    eventId,
    url,
    accepts,
    failingSince,
    secrets: [open(timer, row.sealedSecret), ...previous],
    body: webhookPayload({ type, mode, sequence, occurredAt, subject: toSubject(subject) }),
    tries,
    startedAt,
    nextTryAt
  }
}

const columns: ReadonlyArray<BatchColumn<DueTimerAt>> = [
  ...timerColumns,
  { name: "now", type: "timestamptz", of: ({ now }) => now }
]
const source = batchSource(columns)

/** Whether the endpoint takes the event now: it may have changed since the event was written. */
const ACCEPTS = `(w.disabled_at is null and w.mode = e.mode
      and (e.type = '${TEST_EVENT}' or ${TAKES}))`

/** Step by step: a planner that knows few rows would read all timers and deliveries of an endpoint. */
const statement = `
  with ${withConstants(source.rows, TIMER_KIND)},
  leased as materialized (
    select r.* from r cross join lateral (select from timers t where ${isLeasedBy("r")} limit 1) t),
  w as materialized (
    select r.nth, r.event_id, r.now, w.*
    from leased r join webhook_endpoints w on w.customer_id = r.customer_id and w.lane = r.lane)
  select w.nth::int, w.id as "endpointId", w.url, ${ACCEPTS} as accepts,
    w.failing_since as "failingSince", w.sealed_secret as "sealedSecret",
    case when w.previous_secret_until > w.now then w.sealed_previous_secret end as "sealedPreviousSecret",
    d.tries, d.started_at as "startedAt", d.next_try_at as "nextTryAt",
    e.type, e.mode, e.sequence, e.occurred_at as "occurredAt", ${EVENT_SUBJECT} as subject
  from w
  join webhook_deliveries d
    on d.customer_id = w.customer_id and d.endpoint_id = w.id and d.event_id = w.event_id
  join events e on e.customer_id = w.customer_id and e.id = w.event_id`

type Reads = (
  sql: SqlClient.SqlClient,
  requests: ReadonlyArray<DueTimerAt>
) => Effect.Effect<ReadonlyArray<typeof DueRow.Type>, SqlError.SqlError>

const reading = (): Reads => {
  const decoded = decodedAs(Schema.Array(DueRow))
  return (sql, requests) => decoded(sql.unsafe(statement, source.parameters(requests)))
}

/** The endpoint of a due timer, as the set-up has it. */
const EndpointRow = Schema.Struct({
  nth: Schema.Int,
  endpointId: Schema.Int,
  url: Schema.String,
  isDisabled: Schema.Boolean,
  endpointMode: KeyMode,
  wants: Schema.Array(Schema.String),
  failingSince: DueRow.fields.failingSince,
  sealedSecret: DueRow.fields.sealedSecret,
  sealedPreviousSecret: DueRow.fields.sealedPreviousSecret
})

interface DueAtEndpoint extends DueTimerAt {
  readonly endpoint: typeof EndpointRow.Type
}

const ApartRow = Schema.Struct({
  nth: Schema.Int,
  tries: DueRow.fields.tries,
  startedAt: DueRow.fields.startedAt,
  nextTryAt: DueRow.fields.nextTryAt,
  type: Schema.String,
  mode: KeyMode,
  sequence: Schema.Int,
  occurredAt: DueRow.fields.occurredAt,
  subject: DueRow.fields.subject
})

/** An alert never goes to the endpoint that it is about. */
const isAboutEndpoint = (subject: typeof ApartRow.Type.subject, endpointId: number): boolean =>
  subject?.kind === "alert" &&
  subject.snapshot.subject.type === "webhook" &&
  subject.snapshot.subject.id === String(endpointId)

/** Endpoints are a part of the set-up, their deliveries are not. */
const readingApart = (): Reads => {
  const endpoints = rowStatement(
    columns,
    (rows) => `
    select r.nth, w.id as "endpointId", w.url, w.disabled_at is not null as "isDisabled", w.mode as "endpointMode",
      w.events as wants, w.failing_since as "failingSince", w.sealed_secret as "sealedSecret",
      case when w.previous_secret_until > r.now then w.sealed_previous_secret end as "sealedPreviousSecret"
    from ${rows} join webhook_endpoints w on w.customer_id = r.customer_id and w.lane = r.lane`
  )
  const deliveries = rowStatement<DueAtEndpoint>(
    [...columns, { name: "endpoint_id", type: "int4", of: ({ endpoint }) => endpoint.endpointId }],
    (rows) => `
    select w.nth, d.tries, d.started_at as "startedAt", d.next_try_at as "nextTryAt",
      e.type, e.mode, e.sequence, e.occurred_at as "occurredAt", ${EVENT_SUBJECT} as subject
    from (select r.*, r.endpoint_id as id, '${WEBHOOK_TIMER}'::text as timer_kind from ${rows}) w
    join timers t on ${isLeasedBy("w")}
    join webhook_deliveries d
      on d.customer_id = w.customer_id and d.endpoint_id = w.id and d.event_id = w.event_id
    join events e on e.customer_id = w.customer_id and e.id = w.event_id`
  )
  const endpointRows = decodedAs(Schema.Array(EndpointRow))
  const rows = decodedAs(Schema.Array(ApartRow))
  return Effect.fnUntraced(function* (sql: SqlClient.SqlClient, requests: ReadonlyArray<DueTimerAt>) {
    const found = yield* endpointRows(sent(endpoints, requests)(sql))
    const atEndpoints = found.flatMap((endpoint): ReadonlyArray<DueAtEndpoint> => {
      const request = requests[endpoint.nth - 1]
      return request === undefined ? [] : [{ ...request, endpoint }]
    })
    if (atEndpoints.length === 0) return []
    const due = yield* rows(sent(deliveries, atEndpoints)(sql))
    return due.flatMap((row): ReadonlyArray<typeof DueRow.Type> => {
      const endpoint = atEndpoints[row.nth - 1]?.endpoint
      if (endpoint === undefined) return []
      const { isDisabled, endpointMode, wants } = endpoint
      const accepts =
        !isDisabled &&
        endpointMode === row.mode &&
        (row.type === TEST_EVENT || isWantedEvent(wants, row.type)) &&
        !isAboutEndpoint(row.subject, endpoint.endpointId)
      return [{ ...endpoint, ...row, nth: endpoint.nth, accepts }]
    })
  })
}

/** Reads the deliveries of many timers that are still leased, in one statement. */
export const makeLoadDeliveries = (clients: BatchClients, key: MasterKey["Service"]) =>
  Effect.flatMap(SetUpIsApart, (areApart) => {
    const read = areApart ? readingApart() : reading()
    return makeStatementBatch<SqlClient.SqlClient, DueTimerAt, Option.Option<DueDelivery>>(clients, {
      name: "webhook_read_due",
      conflictsOf: () => [],
      orderOf: ({ timer }) => timer.subject,
      run: (sql, requests) =>
        Effect.map(read(sql, requests), (rows) => {
          const open = makeOpenSecret(key)
          const found = rows.flatMap((row) => {
            const timer = requests[row.nth - 1]?.timer
            const due = timer === undefined ? null : toDue(open, timer, row)
            return due === null ? [] : [[row.nth, due] as const]
          })
          return inOrder(requests.length, found)
        })
    })
  })
