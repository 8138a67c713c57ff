import { monthOf } from "../../domain/people/Admission.ts"
import type { KeyMode } from "../../domain/people/Customer.ts"
import { sendTime } from "../../domain/message/Message.ts"
import { lanes } from "../../domain/message/MessageLanes.ts"
import type { MessageRoute } from "../../domain/routing/MessageRoute.ts"
import type { PlannedMessage } from "../../services/message/MessagePlans.ts"
import { type BatchColumn, batchSource, intArrayText, jsonText } from "../postgres/batching/BatchColumns.ts"
import { outboxParts } from "../postgres/batching/OutboxParts.ts"
import { MESSAGE_SNAPSHOT, TIMER_KINDS } from "./MessageStoreSql.ts"

/** A message of a batch that was admitted. */
export interface AdmittedMessage extends PlannedMessage {
  readonly eventId: string
}

const routeText = jsonText<MessageRoute>()

const columns: ReadonlyArray<BatchColumn<AdmittedMessage>> = [
  { name: "customer_id", type: "int4", of: ({ message }) => message.customerId },
  { name: "id", type: "uuid", of: ({ message }) => message.id },
  { name: "phone", type: "text", of: ({ message }) => message.phone },
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
  { name: "due_at", type: "timestamptz", of: ({ message }) => sendTime(message) },
  { name: "lanes", type: "text", of: ({ message }) => intArrayText(lanes(message)) },
  { name: "now", type: "timestamptz", of: ({ message }) => message.createdAt },
  { name: "held", type: "int8", of: ({ message }) => BigInt(message.held) },
  { name: "event_id", type: "uuid", of: ({ eventId }) => eventId },
  { name: "hour", type: "int4", of: ({ admission }) => admission.phone.hour },
  { name: "day", type: "int4", of: ({ admission }) => admission.phone.day },
  { name: "quota", type: "int4", of: ({ admission }) => admission.monthlyQuota },
  { name: "month", type: "date", of: ({ message }) => monthOf(message.createdAt).start }
]

const source = batchSource(columns)

const windowChange = (name: "hour" | "day", lasts: string) => {
  const isOpen = `p.${name}_ends_at > excluded.${name}_ends_at - interval '${lasts}'`
  return `
      ${name}_used = excluded.${name}_used + case when ${isOpen} then p.${name}_used else 0 end,
      ${name}_ends_at = case when ${isOpen} then p.${name}_ends_at else excluded.${name}_ends_at end`
}

/**
 * Stores and counts the admitted messages of one customer. A counter that did not exist could not be locked: it fails
 * like a lost race if others counted in it meanwhile, and more was admitted than the limit allows.
 */
export const acceptMessages = (mode: KeyMode) => {
  const outbox = outboxParts(mode, [{ type: "'message.queued'", id: "c.event_id" }], MESSAGE_SNAPSHOT)
  const text = `
    with r as materialized (select * from ${source.rows}),
    stored as (
      insert into messages (customer_id, id, phone, status, revision, strategy, route, text, template, metadata,
        attempts, scheduled_for, events_written, created_at, held, mode)
      select customer_id, id, phone, status, revision, strategy, route::jsonb, body, template::json, metadata, '[]',
        scheduled_for, 1, now, held, '${mode}'
      from r),
    timer as (
      insert into timers (customer_id, kind, subject, lane, claimable_at)
      select r.customer_id, '${TIMER_KINDS[mode]}', r.id, lane, r.due_at
      from r, unnest(r.lanes::int[]) as lane),
    to_phone as materialized (
      select customer_id, phone, now, hour, day, count(*)::int as sends from r where hour > 0 or day > 0
      group by 1, 2, 3, 4, 5 order by 1, 2),
    phone_counted as (
      insert into phone_counters as p (customer_id, kind, phone, hour_ends_at, hour_used, day_ends_at, day_used)
      select customer_id, 'message', phone, now + interval '1 hour', sends, now + interval '24 hours', sends
      from to_phone
      on conflict (customer_id, kind, phone) do update set ${windowChange("hour", "1 hour")},
        ${windowChange("day", "24 hours")}
      returning phone, hour_used, day_used),
    quota_counted as (
      insert into monthly_counters as q (customer_id, month, used)
      select customer_id, month, count(*) from r where quota > 0 group by 1, 2
      on conflict (customer_id, month) do update set used = q.used + excluded.used
      returning used),
    changed as materialized (
      select r.*, '[]'::jsonb as attempts, null::timestamptz as completed_at, 1 as events_written, 1 as event_count
      from r)
    ${outbox.parts}
    select ${outbox.webhooks} as webhooks,
      case when exists (select from quota_counted c join r on r.quota > 0 where c.used > r.quota)
        or exists (select from phone_counted c join to_phone a on a.phone = c.phone
          where c.hour_used > nullif(a.hour, 0) or c.day_used > nullif(a.day, 0)) then try_again() end as raced`
  return { text, parameters: source.parameters }
}
