import { Clock, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { fieldError, NotFound, Unauthenticated } from "../../domain/Errors.ts"
import { toPage } from "../../domain/Paging.ts"
import { problem } from "../../domain/Problem.ts"
import { apiKeyStatus, visibleParts } from "../../domain/ApiKey.ts"
import { looksLikeToken, TOKEN_LIFE_MILLIS, TokenRecord, tokenSecret } from "../../domain/PersonalToken.ts"
import { type Actor, Scope } from "../../domain/user/Actor.ts"
import { cacheKeyOf, hashSecret, randomPart } from "../crypto/Crypto.ts"
import { idPosition } from "../postgres/PagesSql.ts"
import {
  InstantColumn,
  nullableTimestamp,
  ownerIn,
  rowsOf,
  secretTimes,
  timestamp
} from "../postgres/SqlRows.ts"
import { makeLastUses } from "../postgres/SetUpCache.ts"
import { PersonalTokens, Tokens } from "../../services/key/Tokens.ts"

const TokenRow = Schema.Struct({ ...TokenRecord.fields, ...secretTimes })

export const TokensSql = Layer.effect(
  Tokens,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const tokenRows = rowsOf(TokenRow)
    const columns =
      sql.literal(`id, customer_id as "customerId", name, scope, prefix, last_four as "lastFour",
      created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"`)

    return Tokens.of({
      list: Effect.fnUntraced(function* (customerId, { limit, after }) {
        const before = idPosition(after)
        const rows = yield* tokenRows(sql`
          select ${columns} from personal_tokens
          where customer_id = ${customerId} and (${before}::int is null or id < ${before}::int)
          order by id desc limit ${limit + 1}`)
        return toPage(rows, limit, ({ id }) => String(id))
      }),

      find: Effect.fnUntraced(function* (customerId, id) {
        const [row] = yield* tokenRows(
          sql`select ${columns} from personal_tokens where customer_id = ${customerId} and id = ${id}`
        )
        return row ?? (yield* new NotFound())
      }),

      ownerOf: ownerIn(sql, "personal_tokens"),

      create: Effect.fnUntraced(function* (customerId, { name, scope, expiresAt: given }) {
        const now = yield* Clock.currentTimeMillis
        const expiresAt = given === undefined ? now + TOKEN_LIFE_MILLIS : given
        if (expiresAt !== null && expiresAt <= now) {
          return yield* fieldError("expires_at", problem("not_in_future"))
        }
        const secret = tokenSecret(yield* randomPart(random))
        const { prefix, lastFour } = visibleParts(secret)
        const [record] = yield* tokenRows(sql`
          insert into personal_tokens (customer_id, name, scope, prefix, last_four, secret_hash, created_at, expires_at)
          values (${customerId}, ${name}, ${scope}, ${prefix}, ${lastFour}, ${hashSecret(secret)}::bytea,
            ${timestamp(now)}, ${nullableTimestamp(expiresAt)}::timestamptz)
          returning ${columns}`)
        return record === undefined
          ? yield* Effect.die("an insert returned no row")
          : { record, secret: Redacted.make(secret) }
      }),

      revoke: Effect.fnUntraced(function* (customerId, id) {
        const now = timestamp(yield* Clock.currentTimeMillis)
        const [row] = yield* tokenRows(sql`
          update personal_tokens set revoked_at = coalesce(revoked_at, ${now})
          where customer_id = ${customerId} and id = ${id} returning ${columns}`)
        return row ?? (yield* new NotFound())
      })
    })
  })
)

const CredentialRow = Schema.Struct({
  id: Schema.Int,
  customerId: Schema.Int,
  name: Schema.String,
  scope: Scope,
  expiresAt: Schema.NullOr(InstantColumn),
  revokedAt: Schema.NullOr(InstantColumn)
})

export const PersonalTokensSql = Layer.effect(
  PersonalTokens,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const noteUse = yield* makeLastUses(sql, "personal_tokens")
    const tokenRows = rowsOf(CredentialRow)

    // Not cached: a token that was revoked is refused at once, and few requests use one.
    const lookup = Effect.fnUntraced(function* (secretHash: string) {
      const [row] = yield* tokenRows(sql`
        select id, customer_id as "customerId", name, scope, expires_at as "expiresAt", revoked_at as "revokedAt"
        from personal_tokens where secret_hash = decode(${secretHash}, 'hex')`)
      return row ?? (yield* new Unauthenticated())
    })

    return PersonalTokens.of({
      authenticate: Effect.fnUntraced(function* (redacted) {
        const secret = Redacted.value(redacted)
        if (!looksLikeToken(secret)) return yield* new Unauthenticated()
        const token = yield* lookup(cacheKeyOf(secret))
        const now = yield* Clock.currentTimeMillis
        if (apiKeyStatus(token, now) !== "active") return yield* new Unauthenticated()
        noteUse(token.id, now)
        const actor: Actor = {
          customerId: token.customerId,
          kind: "token",
          id: String(token.id),
          name: token.name,
          scope: token.scope,
          isOwner: token.scope === "full"
        }
        return actor
      })
    })
  })
)
