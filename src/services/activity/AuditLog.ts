import { Context, type Effect, Schema } from "effect"
import type { NotFound } from "../../domain/Errors.ts"
import { Instant } from "../../domain/Instant.ts"
import type { Ordered, Page, PageRequest, TimeRange } from "../../domain/Paging.ts"

/** What changes are of: the first parts of actions. */
export type AuditArea =
  | "account"
  | "alert"
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
  | "view"
  | "wallet"
  | "webhook"
  | PlatformArea

/** Changes of the installation, which no customer's log has. */
type PlatformArea = "operator" | "signing_key"

/** The record of changes: author, time, origin and content. */
export const AuditRecord = Schema.Struct({
  id: Schema.String,
  /** The customer whose log has it; 0: the platform. */
  customerId: Schema.Int,
  actorKind: Schema.String,
  actorId: Schema.String,
  actorName: Schema.String,
  action: Schema.String,
  subjectType: Schema.String,
  subjectId: Schema.String,
  /** What people called the thing then; null: it has no name. */
  subjectName: Schema.NullOr(Schema.String),
  details: Schema.Record(Schema.String, Schema.Unknown),
  /** Of the fields in `details`, the values before the change, as far as there were any. */
  previous: Schema.Record(Schema.String, Schema.Unknown),
  ip: Schema.NullOr(Schema.String),
  userAgent: Schema.NullOr(Schema.String),
  requestId: Schema.NullOr(Schema.String),
  occurredAt: Instant
})
export type AuditRecord = typeof AuditRecord.Type

export interface AuditSearch extends TimeRange, Ordered {
  readonly actorKind?: string | undefined
  readonly actorId?: string | undefined
  /** The beginning of the action: `api_key.` */
  readonly action?: string | undefined
  readonly subjectType?: string | undefined
  readonly subjectId?: string | undefined
}

/** Somebody who has changed something, under the last name they had then. */
export const AuditActor = Schema.Struct({ kind: Schema.String, id: Schema.String, name: Schema.String })
export type AuditActor = typeof AuditActor.Type

/** The changes of customers' resources. */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Of one customer; null: of all, and of the platform. */
    readonly list: (
      customerId: number | null,
      search: AuditSearch & PageRequest
    ) => Effect.Effect<Page<AuditRecord>>
    /** An entry of this customer's log; null: of any. */
    readonly find: (customerId: number | null, id: string) => Effect.Effect<AuditRecord, NotFound>
    /** Who has changed something, by name; a limited number. */
    readonly actors: (customerId: number) => Effect.Effect<ReadonlyArray<AuditActor>>
  }
>()("peyk/services/activity/AuditLog") {}
