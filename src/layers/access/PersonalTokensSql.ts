import { Clock, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { cacheKeyOf } from "../crypto/Random.ts"
import { type Actor, Scope } from "../../domain/user/Actor.ts"
import { apiKeyStatus } from "../../domain/key/ApiKey.ts"
import { Unauthenticated } from "../../domain/Errors.ts"
import { looksLikeToken } from "../../domain/key/PersonalToken.ts"
import { PersonalTokens } from "../../services/access/PersonalTokens.ts"
import { makeLastUses } from "../postgres/cache/LastUses.ts"
import { InstantColumn, rowsOf } from "../postgres/SqlRows.ts"

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
