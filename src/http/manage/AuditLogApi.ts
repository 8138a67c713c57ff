import { Schema } from "effect"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { FilterText, timeQuery } from "./SearchFields.ts"
import { AuditLog, type AuditRecord } from "../../services/activity/AuditLog.ts"
import { handlersOf, listing, manageGroup } from "./Endpoints.ts"
import { listed } from "./Handlers.ts"
import { pageQuery } from "./ManageWire.ts"

const ActorKind = Schema.Literals(["token", "user", "session", "operator"])

const AuditResource = Schema.Struct({
  id: Schema.String,
  actor: Schema.Struct({ kind: Schema.String, id: Schema.String, name: Schema.String }),
  action: Schema.String,
  subject: Schema.Struct({
    type: Schema.String,
    id: Schema.String,
    name: Schema.NullOr(Schema.String).annotate({
      description: "What it was called then; null: it has no name."
    })
  }),
  details: Schema.Record(Schema.String, Schema.Unknown),
  previous: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "The values that the fields in details had before the change."
  }),
  ip: Schema.NullOr(Schema.String),
  user_agent: Schema.NullOr(Schema.String),
  request_id: Schema.NullOr(Schema.String),
  occurred_at: Timestamp
}).annotate({ identifier: "AuditRecord" })

const toAuditRecord = (record: AuditRecord): typeof AuditResource.Type => ({
  id: record.id,
  actor: { kind: record.actorKind, id: record.actorId, name: record.actorName },
  action: record.action,
  subject: { type: record.subjectType, id: record.subjectId, name: record.subjectName },
  details: record.details,
  previous: record.previous,
  ip: record.ip,
  user_agent: record.userAgent,
  request_id: record.requestId,
  occurred_at: formatInstant(record.occurredAt)
})

export class AuditLogGroup extends manageGroup(
  "audit-log",
  "/v1/manage/audit-log",
  { title: "Management: audit log" },
  listing(AuditResource, "List who changed what, from where; the newest first", {
    ...pageQuery("audit_log"),
    ...timeQuery,
    actor_kind: Schema.optionalKey(ActorKind),
    actor_id: Schema.optionalKey(FilterText).annotateKey({ description: "The id of who changed it." }),
    action: Schema.optionalKey(FilterText).annotateKey({
      description: "The beginning of the action: api_key. or api_key.create"
    }),
    subject_type: Schema.optionalKey(FilterText).annotateKey({
      description: "What was changed: api_key, account, template …"
    }),
    subject_id: Schema.optionalKey(FilterText).annotateKey({ description: "Its id." })
  })
) {}

export const AuditLogHandlers = handlersOf(AuditLogGroup, (handlers) =>
  handlers.handleAll({
    list: listed(
      "audit_log",
      (customerId, page, { from, to, action, ...query }) =>
        AuditLog.use((log) =>
          log.list(customerId, {
            ...page,
            from,
            to,
            action,
            actorKind: query.actor_kind,
            actorId: query.actor_id,
            subjectType: query.subject_type,
            subjectId: query.subject_id
          })
        ),
      toAuditRecord
    )
  })
)
