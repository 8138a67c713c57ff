import { Clock, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { hashSecret, randomPart } from "../../crypto/Random.ts"
import { visibleParts } from "../../../domain/key/ApiKey.ts"
import { fieldError, NotFound } from "../../../domain/Errors.ts"
import { toPage } from "../../../domain/Paging.ts"
import { TOKEN_LIFE_MILLIS, TokenRecord, tokenSecret } from "../../../domain/key/PersonalToken.ts"
import { Tokens } from "../../../services/resources/access/Tokens.ts"
import { nullableTimestamp, rowsOf, timestamp } from "../../postgres/SqlRows.ts"
import { idPosition } from "../IdPages.ts"
import { ownerIn } from "../OwnerSql.ts"
import { secretTimes } from "./SecretRows.ts"
import { problem } from "../../../domain/Problem.ts"

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
