import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { documentedError } from "../errors/Envelope.ts"
import { ManageAuth } from "../wire/ManageAuth.ts"
import { pageOf, pageQuery } from "../wire/ManageWire.ts"
import { FilterText, timeQuery } from "../wire/SearchFields.ts"
import { NoUndeclaredInput } from "../wire/UndeclaredInput.ts"
import type { AuditRecord } from "../../services/activity/AuditLog.ts"

const ActorKind = Schema.Literals(["token", "user", "session", "operator"])

const AuditResource = Schema.Struct({
  id: Schema.String,
  actor: Schema.Struct({ kind: Schema.String, id: Schema.String, name: Schema.String }),
  action: Schema.String,
  subject: Schema.Struct({ type: Schema.String, id: Schema.String }),
  details: Schema.Record(Schema.String, Schema.Unknown),
  ip: Schema.NullOr(Schema.String),
  user_agent: Schema.NullOr(Schema.String),
  request_id: Schema.NullOr(Schema.String),
  occurred_at: Timestamp
}).annotate({ identifier: "AuditRecord" })

export const toAuditRecord = (record: AuditRecord): typeof AuditResource.Type => ({
  id: record.id,
  actor: { kind: record.actorKind, id: record.actorId, name: record.actorName },
  action: record.action,
  subject: { type: record.subjectType, id: record.subjectId },
  details: record.details,
  ip: record.ip,
  user_agent: record.userAgent,
  request_id: record.requestId,
  occurred_at: formatInstant(record.occurredAt)
})

export class AuditLogGroup extends HttpApiGroup.make("audit-log")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        ...pageQuery("audit_log"),
        ...timeQuery,
        actor_kind: Schema.optionalKey(ActorKind),
        action: Schema.optionalKey(FilterText).annotateKey({
          description: "The beginning of the action: api_key. or api_key.create"
        }),
        subject_type: Schema.optionalKey(FilterText).annotateKey({
          description: "What was changed: api_key, account, template …"
        }),
        subject_id: Schema.optionalKey(FilterText).annotateKey({ description: "Its id." })
      },
      success: pageOf(AuditResource),
      error: documentedError("validation_error")
    }).annotateMerge(OpenApi.annotations({ summary: "List who changed what, from where; the newest first" }))
  )
  .prefix("/v1/manage/audit-log")
  .middleware(NoUndeclaredInput)
  .middleware(ManageAuth)
  .annotateMerge(OpenApi.annotations({ title: "Management: audit log" })) {}
