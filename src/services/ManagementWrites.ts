import { Context, type Effect, type Option } from "effect"
import type { IdempotencyKeyConflict } from "../domain/Errors.ts"
import type { Actor } from "../domain/user/Actor.ts"
import type { IdempotentRequest } from "./customer/Idempotency.ts"

/** Where a change comes from. */
export interface Origin {
  readonly ip: string | null
  readonly userAgent: string | null
  readonly requestId: string | null
}

/** The entry of a change in the audit log. */
export interface AuditEntry {
  /** `api_key.create`, `account.update`: the resource, a dot, the verb. */
  readonly action: string
  readonly subjectType: string
  readonly subjectId: string
  /** What people called the thing when it was changed. */
  readonly subjectName?: string | null
  /** The changed fields with their values; never a secret or personal data. */
  readonly details: Readonly<Record<string, unknown>>
  /** Of the fields in `details`, the values before the change, as far as there were any. */
  readonly previous?: Readonly<Record<string, unknown>>
  /** The customer whose log has it; absent: the actor's. */
  readonly customerId?: number
}

/** A change by a customer: the answer to the request, and its entry in the audit log. */
export interface Change {
  /** The response to the caller: JSON. */
  readonly body: unknown
  readonly audit: AuditEntry
}

export interface WriteRequest {
  readonly actor: Actor
  readonly origin: Origin
  /** The name that separates idempotency keys. */
  readonly operation: string
  /** The status of a success. */
  readonly status: number
  readonly idempotency: IdempotentRequest | undefined
}

export interface WriteResponse {
  readonly status: number
  readonly body: unknown
  readonly replayed: boolean
}

/** Changes under management: each is one transaction with its entry in the audit log and its idempotent answer. */
export class ManagementWrites extends Context.Service<
  ManagementWrites,
  {
    /**
     * The response to an earlier request with the same key. Only for the actor that made it, and while the credential
     * that made it is not revoked: a response can contain a secret.
     */
    readonly kept: (
      request: WriteRequest
    ) => Effect.Effect<Option.Option<WriteResponse>, IdempotencyKeyConflict>
    /** Within a write: no other change of the customer's set-up comes before it has ended. */
    readonly lock: (customerId: number) => Effect.Effect<void>
    /** If `change` fails, nothing is stored, not even a part of the change. */
    readonly write: <E, R>(
      request: WriteRequest,
      change: Effect.Effect<Change, E, R>
    ) => Effect.Effect<WriteResponse, E | IdempotencyKeyConflict, R>
  }
>()("peyk/services/ManagementWrites") {}
