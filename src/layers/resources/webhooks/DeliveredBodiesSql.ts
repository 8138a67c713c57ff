import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { KeyMode } from "../../../domain/customer/Customer.ts"
import { webhookPayload } from "../../../http/WebhookPayload.ts"
import type { Webhooks } from "../../../services/resources/Webhooks.ts"
import { InstantColumn, rowsOf } from "../../postgres/SqlRows.ts"
import { EVENT_SUBJECT, EventSubjectColumn, toSubject } from "../../webhook/WebhookEventSql.ts"

const EventRow = Schema.Struct({
  type: Schema.String,
  mode: KeyMode,
  sequence: Schema.Int,
  occurredAt: InstantColumn,
  /** Null if the event's record was deleted. */
  subject: Schema.NullOr(EventSubjectColumn)
})

/** The body of a delivery is made again from its event, as it is for each try. */
export const deliveredBodies = (sql: SqlClient.SqlClient): Pick<Webhooks["Service"], "body"> => {
  const eventRows = rowsOf(EventRow)
  return {
    body: Effect.fnUntraced(function* (customerId, id, eventId) {
      const [row] = yield* eventRows(sql`
        select e.type, e.mode, e.sequence, e.occurred_at as "occurredAt", ${sql.literal(EVENT_SUBJECT)} as subject
        from webhook_deliveries d
        join webhook_endpoints w on w.customer_id = d.customer_id and w.id = d.endpoint_id
        join events e on e.customer_id = d.customer_id and e.id = d.event_id
        where d.customer_id = ${customerId} and d.endpoint_id = ${id} and d.event_id = ${eventId}::uuid`)
      return row === undefined || row.subject === null
        ? null
        : webhookPayload({ ...row, subject: toSubject(row.subject) })
    })
  }
}
