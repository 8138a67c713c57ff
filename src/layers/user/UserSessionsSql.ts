import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type Statement } from "effect/sql"
import { looksLikeRefreshToken, refreshEnd, refreshSecret } from "../../domain/user/Sessions.ts"
import { hashSecret, randomPart } from "../crypto/Crypto.ts"
import { first, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { factorConditions } from "./SecondFactorsSql.ts"
import { userColumns, UserRow } from "./UsersSql.ts"
import { type EndedSession, type UserSession, UserSessions } from "../../services/user/UserSessions.ts"

const CandidateRow = Schema.Struct({ ...UserRow.fields, passwordHash: Schema.String, epoch: Schema.Int })
const SessionRow = Schema.Struct({ ...UserRow.fields, sessionId: Schema.String })

/**
 * A session is a family of refresh tokens. It has ended as soon as any of them is revoked. So ending it changes one
 * row, and a refresh at the same time cannot escape that.
 */
export const UserSessionsSql = Layer.effect(
  UserSessions,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const candidateRows = rowsOf(CandidateRow)
    const sessionRows = rowsOf(SessionRow)
    const columns = userColumns(sql)
    // No operator has a session here.
    const { mustEnrol } = factorConditions(sql, false)

    const newSecret = Effect.map(randomPart(random), refreshSecret)

    /** The session whose newest token is this. */
    const made = (rows: ReadonlyArray<typeof SessionRow.Type>, secret: string): Option.Option<UserSession> =>
      Option.map(Option.fromUndefinedOr(rows[0]), ({ sessionId, ...user }) => ({
        sessionId,
        user,
        refreshToken: Redacted.make(secret)
      }))

    const hashOf = (token: Redacted.Redacted): Buffer | null => {
      const secret = Redacted.value(token)
      return looksLikeRefreshToken(secret) ? hashSecret(secret) : null
    }

    const endWhere = Effect.fnUntraced(function* (hash: Buffer, now: number, condition: Statement.Fragment) {
      const [row] = yield* sessionRows(sql`
        update refresh_tokens r set revoked_at = ${timestamp(now)} from users u
        where r.secret_hash = ${hash}::bytea and r.revoked_at is null and ${condition} and u.id = r.user_id
        returning ${columns}, r.family as "sessionId"`)
      return Option.map(Option.fromUndefinedOr(row), ({ sessionId, ...user }): EndedSession => ({
        sessionId,
        user
      }))
    })

    return UserSessions.of({
      findByEmail: (email) =>
        first(
          Effect.map(
            candidateRows(sql`
              select ${columns}, u.password_hash as "passwordHash", u.sign_in_epoch as epoch
              from users u where u.email = ${email}`),
            (rows) => rows.map(({ passwordHash, epoch, ...user }) => ({ user, passwordHash, epoch }))
          )
        ),

      start: Effect.fnUntraced(function* ({ user, passwordHash }, now, network = null) {
        const secret = yield* newSecret
        const rows = yield* sessionRows(sql`
          with owner as (
            select ${columns} from users u
            where u.id = ${user.id}::uuid and u.disabled_at is null and u.password_hash = ${passwordHash}
              -- operators sign in to the console alone
              and u.customer_id is not null and not ${mustEnrol} for no key update of u
          ), made as (
            insert into refresh_tokens (secret_hash, family, user_id, network, created_at, expires_at)
            select ${hashSecret(secret)}::bytea, ${yield* random.uuidV7()}::uuid, id, ${network}::text,
              ${timestamp(now)}::timestamptz, ${timestamp(refreshEnd(now))}::timestamptz from owner
            returning family
          ), seen as (
            update users u set last_sign_in_at = ${timestamp(now)}::timestamptz from owner where u.id = owner.id
          )
          select owner.*, made.family as "sessionId" from owner, made`)
        return made(rows, secret)
      }),

      refresh: Effect.fnUntraced(function* (token, instant) {
        const hash = hashOf(token)
        if (hash === null) return Option.none()
        const secret = yield* newSecret
        const now = timestamp(instant)
        const rows = yield* sessionRows(sql`
          with used as (
            update refresh_tokens r set used_at = ${now} from users u
            where r.secret_hash = ${hash}::bytea and r.used_at is null and r.expires_at > ${now}::timestamptz
              and u.id = r.user_id and u.disabled_at is null and not ${mustEnrol}
              and not exists (select from refresh_tokens e where e.family = r.family and e.revoked_at is not null)
            returning ${columns}, r.family as "sessionId", r.network
          ), next as (
            insert into refresh_tokens (secret_hash, family, user_id, network, created_at, expires_at)
            select ${hashSecret(secret)}::bytea, "sessionId", id, network, ${now}::timestamptz,
              ${timestamp(refreshEnd(instant))}::timestamptz from used
            returning family
          )
          select used.* from used, next`)
        return made(rows, secret)
      }),

      endIfReused: Effect.fnUntraced(function* (token, now) {
        const hash = hashOf(token)
        return hash === null ? Option.none() : yield* endWhere(hash, now, sql`r.used_at is not null`)
      }),

      end: Effect.fnUntraced(function* (token, now) {
        const hash = hashOf(token)
        return hash === null ? Option.none() : yield* endWhere(hash, now, sql`true`)
      }),

      rehash: ({ user, passwordHash: old }, passwordHash) =>
        Effect.orDie(
          Effect.asVoid(sql`
            update users set password_hash = ${passwordHash} where id = ${user.id}::uuid and password_hash = ${old}`)
        )
    })
  })
)
