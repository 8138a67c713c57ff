import { Context, Effect, type Redacted, Schema } from "effect"
import { type ApiKeyRecord, DEFAULT_OVERLAP_SECONDS, MAX_OVERLAP_SECONDS } from "../../domain/ApiKey.ts"
import type {
  Conflict,
  NotFound,
  PreconditionFailed,
  Unauthenticated,
  ValidationError
} from "../../domain/Errors.ts"
import { DateTimeText, Name, optional } from "../../domain/Fields.ts"
import type { Instant } from "../../domain/Instant.ts"
import { ipFamily } from "../../domain/Networks.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import { problem } from "../../domain/Problem.ts"
import { check, isMaxEntries } from "../../domain/SchemaProblems.ts"
import { KeyMode, type Principal } from "../../domain/customer/Customer.ts"
import type { Actor } from "../../domain/user/Actor.ts"
import { action, NoInput, NoTarget } from "../Action.ts"

/** Service keys: `svc_live_…` and `svc_test_…`. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** The customer that this key represents, if the key is known, not expired and not revoked. Records its use. */
    readonly authenticate: (secret: Redacted.Redacted) => Effect.Effect<Principal, Unauthenticated>
    /** Authenticates past the cache: before a request is refused because of a cached key. */
    readonly confirm: (secret: Redacted.Redacted) => Effect.Effect<Principal, Unauthenticated>
    /** The customer of a recently used key, without a wait; undefined if it must be looked up, or is not active. */
    readonly recall: (secret: string) => Principal | undefined
  }
>()("peyk/services/key/Keys/ApiKeys") {}

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

const isNetwork = (text: string): boolean => {
  const [address = "", prefix, ...rest] = text.split("/")
  const family = ipFamily(address)
  if (family === null || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128)
}

/** An address, or a network in CIDR notation. */
const IpNetwork = Schema.String.check(check(isNetwork, problem("not_network", { example: "10.0.0.0/8" })))

const RequestsPerMinute = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 })).annotate(
  { description: "Requests in any minute; 0: no limit." }
)
const AllowedIps = Schema.NonEmptyArray(IpNetwork)
  .check(isMaxEntries(100))
  .annotate({ description: "The networks it may be used from (addresses or CIDR)." })

export const NewApiKey = Schema.Struct({
  name: Name,
  mode: KeyMode,
  expires_at: optional(DateTimeText),
  rate_limit_per_minute: optional(RequestsPerMinute),
  allowed_ips: optional(AllowedIps)
}).annotate({ identifier: "NewApiKey" })

/** In a change, null restores the default if there is one. */
export const ApiKeyChange = Schema.Struct({
  name: optional(Name),
  rate_limit_per_minute: Schema.optionalKey(Schema.NullOr(RequestsPerMinute)),
  allowed_ips: Schema.optionalKey(Schema.NullOr(AllowedIps))
}).annotate({ identifier: "ApiKeyChange" })

export const KeyRotation = Schema.Struct({
  overlap_seconds: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MAX_OVERLAP_SECONDS }))
  ).annotateKey({ description: `How long the old key stays valid; ${DEFAULT_OVERLAP_SECONDS} if absent.` })
}).annotate({ identifier: "KeyRotation" })

const keyBefore = ({ actor, target }: { readonly actor: Actor; readonly target: number }) =>
  Effect.map(
    Keys.use((keys) => keys.find(actor.customerId, target)),
    ({ name, requestsPerMinute, allowedIps }) => ({
      name,
      values: { name, rate_limit_per_minute: requestsPerMinute, allowed_ips: allowedIps }
    })
  )

export const createKey = action("api_key.create", {
  input: NewApiKey,
  target: NoTarget,
  access: "writer",
  run: ({ actor, input: { name, mode, expires_at, rate_limit_per_minute, allowed_ips } }) =>
    Keys.use((keys) =>
      keys.create(actor.customerId, {
        name,
        mode,
        expiresAt: expires_at ?? null,
        requestsPerMinute: rate_limit_per_minute ?? null,
        allowedIps: allowed_ips ?? null
      })
    ),
  audit: ({ record: { id, name, mode } }) => ({ id, name, details: { name, mode } })
})

export const changeKey = action("api_key.update", {
  input: ApiKeyChange,
  target: Schema.Int,
  access: "writer",
  before: keyBefore,
  run: ({ actor, target, version, input: { name, rate_limit_per_minute, allowed_ips } }) => {
    const change = {
      name: name ?? undefined,
      requestsPerMinute: rate_limit_per_minute,
      allowedIps: allowed_ips
    }
    return Keys.use((keys) => keys.update(actor.customerId, target, change, version))
  },
  audit: ({ id }, { input }) => ({ id, details: input })
})

export const revokeKey = action("api_key.revoke", {
  input: NoInput,
  target: Schema.Int,
  access: "writer",
  before: keyBefore,
  run: ({ actor, target, version }) => Keys.use((keys) => keys.revoke(actor.customerId, target, version)),
  audit: ({ id }) => ({ id })
})

const overlapOf = ({ overlap_seconds }: typeof KeyRotation.Type): number =>
  overlap_seconds ?? DEFAULT_OVERLAP_SECONDS

/** Another key in its place; the old one stays valid for the overlap. */
export const rotateKey = action("api_key.rotate", {
  input: KeyRotation,
  target: Schema.Int,
  access: "writer",
  before: keyBefore,
  run: ({ actor, target, input }) =>
    Keys.use((keys) => keys.rotate(actor.customerId, target, overlapOf(input) * 1000)),
  audit: ({ record }, { target, input }) => ({
    id: target,
    details: { replaced_by: record.id, overlap_seconds: overlapOf(input) }
  })
})
