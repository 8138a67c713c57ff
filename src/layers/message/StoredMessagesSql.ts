import type { KeyMode } from "../../domain/people/Customer.ts"
import { type Message, sendTime } from "../../domain/message/Message.ts"
import { lanes } from "../../domain/message/MessageLanes.ts"
import type { Lease } from "../../domain/Timer.ts"
import type { MessageRoute } from "../../domain/routing/MessageRoute.ts"
import { type BatchColumn, intArrayText, jsonText } from "../postgres/batching/BatchColumns.ts"
import { outboxParts } from "../postgres/batching/OutboxParts.ts"
import { MESSAGE_SNAPSHOT, TIMER_KINDS } from "./MessageRow.ts"

/** A new message with the id of its first event. */
interface NewMessage {
  readonly message: Message
  readonly eventId: string
  /** Absent: free for any process when it is due. */
  readonly lease?: Lease | null
}

const routeText = jsonText<MessageRoute>()

/** The columns of new messages that `storedMessages` needs, besides `customer_id`, `id`, `phone`, `now` and `hold`. */
export const messageInsertColumns: ReadonlyArray<BatchColumn<NewMessage>> = [
  { name: "status", type: "text", of: ({ message }) => message.status },
  { name: "revision", type: "int4", of: ({ message }) => message.revision },
  { name: "strategy", type: "text", of: ({ message }) => message.strategy },
  { name: "route", type: "text", of: ({ message }) => routeText(message.route) },
  { name: "body", type: "text", of: ({ message }) => message.text },
  {
    name: "template",
    type: "text",
    of: ({ message }) => (message.template === null ? null : JSON.stringify(message.template))
  },
  { name: "metadata", type: "text", of: ({ message }) => message.metadata },
  { name: "scheduled_for", type: "timestamptz", of: ({ message }) => message.scheduledFor },
  { name: "lanes", type: "text", of: ({ message }) => intArrayText(lanes(message)) },
  {
    name: "claimable_at",
    type: "timestamptz",
    of: ({ message, lease }) => lease?.until ?? sendTime(message)
  },
  { name: "lease_token", type: "uuid", of: ({ lease }) => lease?.token ?? null },
  { name: "event_id", type: "uuid", of: ({ eventId }) => eventId }
]

/** The parts that store the messages of `rows r`, with their timers, events and deliveries to webhooks. */
export const storedMessages = (mode: KeyMode, rows: string) => {
  const outbox = outboxParts(mode, [{ type: "'message.queued'", id: "c.event_id" }], MESSAGE_SNAPSHOT)
  return {
    parts: `
  stored as (
    insert into messages (customer_id, id, phone, status, revision, strategy, route, text, template, metadata,
      attempts, scheduled_for, events_written, created_at, held, mode)
    select r.customer_id, r.id, r.phone, r.status, r.revision, r.strategy, r.route::jsonb, r.body, r.template::json,
      r.metadata, '[]', r.scheduled_for, 1, r.now, r.hold, '${mode}'
    from ${rows}),
  timer as (
    insert into timers (customer_id, kind, subject, lane, claimable_at, lease_token)
    select r.customer_id, '${TIMER_KINDS[mode]}', r.id, lane, r.claimable_at, r.lease_token
    from ${rows}, unnest(r.lanes::int[]) as lane),
  changed as materialized (
    select r.customer_id, r.id, r.status, r.now, r.event_id, '[]'::jsonb as attempts,
      null::timestamptz as completed_at, 1 as events_written, 1 as event_count
    from ${rows})
  ${outbox.parts}`,
    webhooks: outbox.webhooks
  }
}
