import { Context, type Effect, Schema } from "effect"
import { Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest, TimeRange } from "../../domain/Paging.ts"

/** What changes are of: the first parts of actions. */
export type AuditArea =
  | "account"
  | "api_key"
  | "contacts"
  | "customer"
  | "guard"
  | "message"
  | "phone"
  | "routing"
  | "template"
  | "test"
  | "token"
  | "user"
  | "verification"
  | "wallet"
  | "webhook"
  | PlatformArea

/** Changes of the installation, which no customer's log has. */
export type PlatformArea = "operator" | "signing_key"

/** The record of changes: author, time, origin and content. */
export const AuditRecord = Schema.Struct({
  id: Schema.String,
  actorKind: Schema.String,
  actorId: Schema.String,
  actorName: Schema.String,
  action: Schema.String,
  subjectType: Schema.String,
  subjectId: Schema.String,
  details: Schema.Record(Schema.String, Schema.Unknown),
  ip: Schema.NullOr(Schema.String),
  userAgent: Schema.NullOr(Schema.String),
  requestId: Schema.NullOr(Schema.String),
  occurredAt: Instant
})
export type AuditRecord = typeof AuditRecord.Type

export interface AuditSearch extends TimeRange {
  readonly actorKind?: string | undefined
  /** The beginning of the action: `api_key.` */
  readonly action?: string | undefined
  readonly subjectType?: string | undefined
  readonly subjectId?: string | undefined
}

/** The changes of a customer's resources, the newest first. */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    readonly list: (customerId: number, search: AuditSearch & PageRequest) => Effect.Effect<Page<AuditRecord>>
  }
>()("peyk/services/activity/AuditLog") {}
