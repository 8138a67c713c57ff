import { Clock, Effect, Redacted, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import { ApiKeyRecord, apiKeySecret, visibleParts } from "../../domain/people/ApiKey.ts"
import { type Management, ManagementError } from "../../services/resources/Management.ts"
import { hashSecret } from "../customer/ApiKeysSql.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { noCustomer, requireCustomer } from "./RequireCustomer.ts"

const SECRET_BYTES = 32

const KeyRow = Schema.Struct({
  ...ApiKeyRecord.fields,
  createdAt: InstantColumn,
  expiresAt: Schema.NullOr(InstantColumn),
  revokedAt: Schema.NullOr(InstantColumn),
  lastUsedAt: Schema.NullOr(InstantColumn)
})

type KeyMethods = Pick<Management["Service"], "createKey" | "listKeys" | "limitKey" | "revokeKey">

const noKey = (keyId: number) => new ManagementError({ message: `there is no key ${keyId}` })

export const keyManagement = (
  sql: SqlClient.SqlClient,
  random: SecureRandom.SecureRandom["Service"]
): KeyMethods => {
  const keyRows = rowsOf(KeyRow)
  const columns = sql.literal(`id, customer_id as "customerId", name, mode, prefix, last_four as "lastFour",
    created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt",
    rate_limit_per_minute as "requestsPerMinute", allowed_ips as "allowedIps", version`)

  return {
    createKey: Effect.fnUntraced(function* ({ customerId, mode, name, expiresAt }) {
      const now = yield* Clock.currentTimeMillis
      if (expiresAt !== null && expiresAt <= now) {
        return yield* new ManagementError({ message: "the key would have expired before it was made" })
      }
      const bytes = yield* random.randomBytes(SECRET_BYTES)
      const secret = apiKeySecret(mode, Buffer.from(bytes).toString("base64url"))
      const { prefix, lastFour } = visibleParts(secret)
      const [record] = yield* keyRows(sql`
        insert into api_keys (customer_id, name, mode, prefix, last_four, secret_hash, created_at, expires_at)
        select id, ${name}, ${mode}, ${prefix}, ${lastFour}, ${hashSecret(secret)}::bytea,
          ${timestamp(now)}::timestamptz, ${expiresAt === null ? null : timestamp(expiresAt)}::timestamptz
        from customers where id = ${customerId} returning ${columns}`)
      return record === undefined ? yield* noCustomer(customerId) : { record, secret: Redacted.make(secret) }
    }),

    listKeys: Effect.fnUntraced(function* (customerId) {
      yield* requireCustomer(sql, customerId)
      return yield* keyRows(
        sql`select ${columns} from api_keys where customer_id = ${customerId} order by id`
      )
    }),

    limitKey: Effect.fnUntraced(function* (keyId, perMinute) {
      const [record] = yield* keyRows(sql`
        update api_keys set rate_limit_per_minute = ${perMinute} where id = ${keyId} returning ${columns}`)
      return record ?? (yield* noKey(keyId))
    }),

    revokeKey: Effect.fnUntraced(function* (keyId) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      const [record] = yield* keyRows(sql`
        update api_keys set revoked_at = coalesce(revoked_at, ${now}) where id = ${keyId} returning ${columns}`)
      return record ?? (yield* noKey(keyId))
    })
  }
}
