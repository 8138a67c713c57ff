import { Clock, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Unauthenticated } from "../../domain/Errors.ts"
import { KeyMode, type Principal } from "../../domain/customer/Customer.ts"
import { apiKeyStatus, looksLikeApiKey } from "../../domain/ApiKey.ts"
import { cacheKeyOf } from "../crypto/Crypto.ts"
import { InstantColumn } from "../postgres/SqlRows.ts"
import { makeLookupBatch } from "../postgres/batching/LoadBatchSql.ts"
import {
  cachedLookup,
  makeLastUses,
  setUpColumns,
  SetUpFields,
  SetUpVersions
} from "../postgres/SetUpCache.ts"
import { ChangeFeed, endedBy, ofCustomer } from "../postgres/ChangeFeed.ts"
import { ApiKeys } from "../../services/key/Keys.ts"

const KeyRow = Schema.Struct({
  keyId: Schema.Int,
  customerId: Schema.Int,
  mode: KeyMode,
  requestsPerMinute: Schema.NullOr(Schema.Int),
  allowedIps: Schema.NullOr(Schema.Array(Schema.String)),
  expiresAt: Schema.NullOr(InstantColumn),
  revokedAt: Schema.NullOr(InstantColumn),
  ...SetUpFields
})

export const ApiKeysSql = Layer.effect(
  ApiKeys,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const feed = yield* ChangeFeed
    const versions = yield* SetUpVersions
    const clock = yield* Clock.Clock
    const rowOf = yield* makeLookupBatch<string, typeof KeyRow>({
      name: "key",
      key: { name: "secret_hash", type: "bytea", of: (secretHash) => Buffer.from(secretHash, "hex") },
      row: KeyRow,
      statement: (keys) => `
        select r.nth, k.id as "keyId", k.customer_id as "customerId", k.mode,
          coalesce(k.rate_limit_per_minute, (c.limits ->> 'key_minute')::int) as "requestsPerMinute",
          k.allowed_ips as "allowedIps", k.expires_at as "expiresAt", k.revoked_at as "revokedAt",
          ${setUpColumns("k.customer_id")}
        from ${keys} join api_keys k on k.secret_hash = r.secret_hash join customers c on c.id = k.customer_id`
    })
    const lookup = Effect.fnUntraced(function* (secretHash: string) {
      const found = yield* rowOf(secretHash)
      if (Option.isNone(found)) return yield* new Unauthenticated()
      versions.note(found.value.customerId, found.value)
      return found.value
    })
    const cache = yield* cachedLookup(lookup, { isUpToDate: feed.isUpToDate, isCurrent: versions.isCurrent })
    yield* feed.subscribe(endedBy(cache, { customer: ofCustomer(cache), key: cache.invalidate }))

    const noteUse = yield* makeLastUses(sql, "api_keys")

    const principalOf = (key: typeof KeyRow.Type, now: number): Principal | undefined => {
      if (apiKeyStatus(key, now) !== "active") return undefined
      noteUse(key.keyId, now)
      const { keyId, customerId, mode, requestsPerMinute, allowedIps, setUpVersion } = key
      return { keyId, customerId, mode, requestsPerMinute, allowedIps, setUpVersion }
    }

    const confirm = Effect.fnUntraced(function* (redacted: Redacted.Redacted) {
      const key = yield* cache.refresh(cacheKeyOf(Redacted.value(redacted)))
      return principalOf(key, yield* Clock.currentTimeMillis) ?? (yield* new Unauthenticated())
    })

    return ApiKeys.of({
      authenticate: Effect.fnUntraced(function* (redacted) {
        const secret = Redacted.value(redacted)
        if (!looksLikeApiKey(secret)) return yield* new Unauthenticated()
        const key = yield* cache.get(cacheKeyOf(secret))
        return principalOf(key, yield* Clock.currentTimeMillis) ?? (yield* confirm(redacted))
      }),
      confirm,
      recall: (secret) => {
        const key = looksLikeApiKey(secret) ? cache.recall(cacheKeyOf(secret)) : undefined
        return key === undefined ? undefined : principalOf(key, clock.currentTimeMillisUnsafe())
      }
    })
  })
)
