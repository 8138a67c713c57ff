import { Context, type Effect, type Redacted } from "effect"
import type { Conflict, NotFound, PreconditionFailed, ValidationError } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import type { ApiKeyRecord } from "../../domain/ApiKey.ts"

/** A new key with its secret, which is shown once. */
export interface CreatedKey {
  readonly record: ApiKeyRecord
  readonly secret: Redacted.Redacted
}

/** A missing field stays as it is. */
export interface KeyChange {
  readonly name?: string | undefined
  readonly requestsPerMinute?: number | null | undefined
  readonly allowedIps?: ReadonlyArray<string> | null | undefined
}

/** A customer's own service keys. Those of another customer do not exist here. */
export class Keys extends Context.Service<
  Keys,
  {
    readonly list: (
      customerId: number,
      page: PageRequest & { readonly mode?: KeyMode | undefined; readonly status?: string | undefined }
    ) => Effect.Effect<Page<ApiKeyRecord>>
    readonly find: (customerId: number, id: number) => Effect.Effect<ApiKeyRecord, NotFound>
    /** The customer whose key this is. */
    readonly ownerOf: (id: number) => Effect.Effect<number, NotFound>
    readonly create: (
      customerId: number,
      key: KeyChange & {
        readonly name: string
        readonly mode: KeyMode
        readonly expiresAt: Instant | null
      }
    ) => Effect.Effect<CreatedKey, ValidationError>
    /** @param version the expected one; null: any */
    readonly update: (
      customerId: number,
      id: number,
      change: KeyChange,
      version: number | null
    ) => Effect.Effect<ApiKeyRecord, NotFound | PreconditionFailed>
    /** @param version the expected one; null: any */
    readonly revoke: (
      customerId: number,
      id: number,
      version: number | null
    ) => Effect.Effect<ApiKeyRecord, NotFound | PreconditionFailed>
    /** Another key in place of this one, which stays valid until `overlapMillis` from now. */
    readonly rotate: (
      customerId: number,
      id: number,
      overlapMillis: number
    ) => Effect.Effect<CreatedKey, NotFound | Conflict>
  }
>()("peyk/services/key/Keys") {}
