import { Context, type Effect, type Option } from "effect"
import type { Actor } from "../../domain/people/Actor.ts"
import type { IdempotencyKeyConflict } from "../../domain/Errors.ts"
import type { IdempotentRequest } from "../customer/Idempotency.ts"

/** Where a change comes from. */
export interface Origin {
  readonly ip: string | null
  readonly userAgent: string | null
  readonly requestId: string | null
}

/** What a change is called in the audit log. */
export interface AuditEntry {
  /** `api_key.create`, `account.update`: the resource, a dot, the verb. */
  readonly action: string
  readonly subjectType: string
  readonly subjectId: string
  /** What was changed to what; never a secret, and no personal data. */
  readonly details: Readonly<Record<string, unknown>>
}

/** A change that was made, as it is answered and told of. */
export interface Change {
  /** What the caller is answered: JSON. */
  readonly body: unknown
  readonly audit: AuditEntry
}

export interface WriteRequest {
  readonly actor: Actor
  readonly origin: Origin
  /** The name under which idempotency keys are kept apart. */
  readonly operation: string
  /** Answered with when it succeeds. */
  readonly status: number
  readonly idempotency: IdempotentRequest | undefined
}

export interface WriteAnswer {
  readonly status: number
  readonly body: unknown
  readonly replayed: boolean
}

/** Changes by customers: each is one transaction with its line in the audit log and its idempotent answer. */
export class ManagementWrites extends Context.Service<
  ManagementWrites,
  {
    /**
     * What an earlier request with the same key was answered. Only for whoever made it, and while the credential that made
     * it is not revoked: an answer may hold a secret.
     */
    readonly kept: (
      request: WriteRequest
    ) => Effect.Effect<Option.Option<WriteAnswer>, IdempotencyKeyConflict>
    /** Nothing is kept, of the change neither, when `change` fails. */
    readonly write: <E, R>(
      request: WriteRequest,
      change: Effect.Effect<Change, E, R>
    ) => Effect.Effect<WriteAnswer, E | IdempotencyKeyConflict, R>
  }
>()("peyk/services/resources/ManagementWrites") {}
