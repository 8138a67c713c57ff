import { Effect, type Option, Redacted, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"
import { TEST_EVENT, WebhookTry } from "../../domain/Webhook.ts"
import { webhookPayload } from "../../http/manage/WebhookPayload.ts"
import type { DueDelivery } from "../../services/webhook/WebhookStore.ts"
import type { MasterKey } from "../crypto/Crypto.ts"
import { batchSource, decodedAs, inOrder, InstantColumn, withConstants } from "../postgres/SqlRows.ts"
import { type BatchClients, makeStatementBatch } from "../postgres/batching/StatementBatch.ts"
import { EVENT_SUBJECT, EventSubjectColumn, toSubject } from "./WebhookEventSql.ts"
import { openWebhookSecret, type SecretOwner } from "./WebhooksSql.ts"
import { isLeasedBy, TIMER_KIND, timerColumns } from "./WebhookTimers.ts"

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

const source = batchSource<DueTimerAt>([
  ...timerColumns,
  { name: "now", type: "timestamptz", of: ({ now }) => now }
])

/** Whether the endpoint takes the event now: it may have changed since the event was written. */
const ACCEPTS = `(w.disabled_at is null and w.mode = e.mode
      and (e.type = '${TEST_EVENT}' or w.events @> array[e.type] or w.events @> array['*']))`

/** Step by step: a planner that knows few rows would read all timers and deliveries of an endpoint. */
const statement = `
  with ${withConstants(source.rows, TIMER_KIND)},
  leased as materialized (
    select r.* from r join timers t on ${isLeasedBy("r")}),
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

/** Reads the deliveries of many timers that are still leased, in one statement. */
export const makeLoadDeliveries = (clients: BatchClients, key: MasterKey["Service"]) => {
  const decoded = decodedAs(Schema.Array(DueRow))
  return makeStatementBatch<SqlClient.SqlClient, DueTimerAt, Option.Option<DueDelivery>>(clients, {
    name: "webhook_read_due",
    conflictsOf: () => [],
    orderOf: ({ timer }) => timer.subject,
    run: (sql, requests) =>
      Effect.map(decoded(sql.unsafe(statement, source.parameters(requests))), (rows) => {
        const open = makeOpenSecret(key)
        const found = rows.flatMap((row) => {
          const timer = requests[row.nth - 1]?.timer
          const due = timer === undefined ? null : toDue(open, timer, row)
          return due === null ? [] : [[row.nth, due] as const]
        })
        return inOrder(requests.length, found)
      })
  })
}
