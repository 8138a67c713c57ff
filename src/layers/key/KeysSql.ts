import { Clock, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type Statement } from "effect/sql"
import { Conflict, fieldError, NotFound } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import { toPage } from "../../domain/Paging.ts"
import { problem } from "../../domain/Problem.ts"
import { ApiKeyRecord, apiKeySecret, apiKeyStatus, visibleParts } from "../../domain/ApiKey.ts"
import { hashSecret, randomPart } from "../crypto/Crypto.ts"
import { idPosition } from "../postgres/PagesSql.ts"
import {
  notUpdated,
  nullableTimestamp,
  ownerIn,
  rowsOf,
  secretTimes,
  timestamp
} from "../postgres/SqlRows.ts"
import { type KeyChange, Keys } from "../../services/key/Keys.ts"

const KeyRow = Schema.Struct({ ...ApiKeyRecord.fields, ...secretTimes })

type NewKey = Pick<ApiKeyRecord, "name" | "mode"> &
  Pick<KeyChange, "requestsPerMinute" | "allowedIps"> & { readonly expiresAt: Instant | null }

export const KeysSql = Layer.effect(
  Keys,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const keyRows = rowsOf(KeyRow)
    const columns = sql.literal(`id, customer_id as "customerId", name, mode, prefix, last_four as "lastFour",
      created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt",
      rate_limit_per_minute as "requestsPerMinute", allowed_ips as "allowedIps", version`)

    const find = Effect.fnUntraced(function* (customerId: number, id: number) {
      const [row] = yield* keyRows(
        sql`select ${columns} from api_keys where customer_id = ${customerId} and id = ${id}`
      )
      return row ?? (yield* new NotFound())
    })

    /** Locked until the transaction ends: only one of several rotations succeeds. */
    const lock = Effect.fnUntraced(function* (customerId: number, id: number) {
      const [row] = yield* keyRows(
        sql`select ${columns} from api_keys where customer_id = ${customerId} and id = ${id} for update`
      )
      return row ?? (yield* new NotFound())
    })

    const statusIs = (status: string | undefined, now: Instant): Statement.Fragment => {
      const isExpired = sql`coalesce(expires_at <= ${timestamp(now)}, false)`
      switch (status) {
        case "active":
          return sql`revoked_at is null and not ${isExpired}`
        case "expired":
          return sql`revoked_at is null and ${isExpired}`
        case "revoked":
          return sql`revoked_at is not null`
        default:
          return sql`true`
      }
    }

    const insert = Effect.fnUntraced(function* (customerId: number, key: NewKey) {
      const { name, mode, expiresAt, requestsPerMinute = null, allowedIps = null } = key
      const secret = apiKeySecret(mode, yield* randomPart(random))
      const { prefix, lastFour } = visibleParts(secret)
      const now = yield* Clock.currentTimeMillis
      const [record] = yield* keyRows(sql`
        insert into api_keys (customer_id, name, mode, prefix, last_four, secret_hash, created_at, expires_at,
          rate_limit_per_minute, allowed_ips)
        values (${customerId}, ${name}, ${mode}, ${prefix}, ${lastFour}, ${hashSecret(secret)}::bytea,
          ${timestamp(now)}, ${nullableTimestamp(expiresAt)}::timestamptz, ${requestsPerMinute}::int,
          ${allowedIps}::text[])
        returning ${columns}`)
      return record === undefined
        ? yield* Effect.die("an insert returned no row")
        : { record, secret: Redacted.make(secret) }
    })

    return Keys.of({
      find,

      ownerOf: ownerIn(sql, "api_keys"),

      list: Effect.fnUntraced(function* (customerId, { limit, after, mode, status }) {
        const now = yield* Clock.currentTimeMillis
        const before = idPosition(after)
        const rows = yield* keyRows(sql`
          select ${columns} from api_keys
          where customer_id = ${customerId} and (${before}::int is null or id < ${before}::int)
            and (${mode ?? null}::text is null or mode = ${mode ?? null}::text) and ${statusIs(status, now)}
          order by id desc limit ${limit + 1}`)
        return toPage(rows, limit, ({ id }) => String(id))
      }),

      create: Effect.fnUntraced(function* (customerId, key) {
        if (key.expiresAt !== null && key.expiresAt <= (yield* Clock.currentTimeMillis)) {
          return yield* fieldError("expires_at", problem("not_in_future"))
        }
        return yield* insert(customerId, key)
      }),

      update: Effect.fnUntraced(function* (customerId, id, change, version) {
        const { name, requestsPerMinute, allowedIps } = change
        const [row] = yield* keyRows(sql`
          update api_keys set name = coalesce(${name ?? null}::text, name),
            rate_limit_per_minute = case when ${requestsPerMinute === undefined} then rate_limit_per_minute
              else ${requestsPerMinute ?? null}::int end,
            allowed_ips = case when ${allowedIps === undefined} then allowed_ips else ${allowedIps ?? null}::text[] end
          where customer_id = ${customerId} and id = ${id}
            and (${version}::int is null or version = ${version}::int)
          returning ${columns}`)
        return row ?? (yield* Effect.flatMap(find(customerId, id), notUpdated))
      }),

      revoke: Effect.fnUntraced(function* (customerId, id, version) {
        const now = timestamp(yield* Clock.currentTimeMillis)
        const [row] = yield* keyRows(sql`
          update api_keys set revoked_at = coalesce(revoked_at, ${now})
          where customer_id = ${customerId} and id = ${id}
            and (${version}::int is null or version = ${version}::int)
          returning ${columns}`)
        return row ?? (yield* Effect.flatMap(find(customerId, id), notUpdated))
      }),

      rotate: Effect.fnUntraced(function* (customerId, id, overlapMillis) {
        const old = yield* lock(customerId, id)
        // After the lock: who waited for it comes after the end that the rotation before has set.
        const now = yield* Clock.currentTimeMillis
        if (apiKeyStatus(old, now) !== "active") {
          return yield* new Conflict({ problem: problem("key_not_active") })
        }
        const end = timestamp(now + overlapMillis)
        yield* Effect.orDie(sql`
          update api_keys set expires_at = least(expires_at, ${end}) where customer_id = ${customerId} and id = ${id}`)
        return yield* insert(customerId, old)
      })
    })
  })
)
