import { monthOf } from "../../domain/people/Admission.ts"
import type { KeyMode } from "../../domain/people/Customer.ts"
import type { PlannedMessage } from "../../services/message/MessagePlans.ts"
import { type BatchColumn, batchSource } from "../postgres/batching/BatchColumns.ts"
import { messageInsertColumns, storedMessages } from "./StoredMessagesSql.ts"

/** A message of a batch that was admitted. */
export interface AdmittedMessage extends PlannedMessage {
  readonly eventId: string
}

const columns: ReadonlyArray<BatchColumn<AdmittedMessage>> = [
  { name: "customer_id", type: "int4", of: ({ message }) => message.customerId },
  { name: "id", type: "uuid", of: ({ message }) => message.id },
  { name: "phone", type: "text", of: ({ message }) => message.phone },
  { name: "now", type: "timestamptz", of: ({ message }) => message.createdAt },
  { name: "hold", type: "int8", of: ({ message }) => BigInt(message.held) },
  ...messageInsertColumns,
  { name: "hour", type: "int4", of: ({ admission }) => admission.phone.hour },
  { name: "day", type: "int4", of: ({ admission }) => admission.phone.day },
  { name: "quota", type: "int4", of: ({ admission }) => admission.monthlyQuota },
  { name: "month", type: "date", of: ({ message }) => monthOf(message.createdAt).start }
]

const source = batchSource(columns)

const windowChange = (name: "hour" | "day", lasts: string) => {
  const isOpen = `excluded.${name}_ends_at - p.${name}_ends_at < interval '${lasts}'`
  return `
      ${name}_used = excluded.${name}_used + case when ${isOpen} then p.${name}_used else 0 end,
      ${name}_ends_at = case when ${isOpen} then p.${name}_ends_at else excluded.${name}_ends_at end`
}

/**
 * Stores and counts the admitted messages of one customer. A counter that did not exist could not be locked: it fails
 * like a lost race if others counted in it meanwhile, and more was admitted than the limit allows.
 */
export const acceptMessages = (mode: KeyMode) => {
  const stored = storedMessages(mode, "r")
  const text = `
    with r as materialized (select * from ${source.rows}),
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
    ${stored.parts}
    select ${stored.webhooks} as webhooks,
      case when exists (select from quota_counted c join r on r.quota > 0 where c.used > r.quota)
        or exists (select from phone_counted c join to_phone a on a.phone = c.phone
          where c.hour_used > nullif(a.hour, 0) or c.day_used > nullif(a.day, 0)) then raise_race() end as raced`
  return { text, parameters: source.parameters }
}
