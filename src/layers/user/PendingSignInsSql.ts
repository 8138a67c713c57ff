import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { MAX_WRONG_OF_SIGN_IN } from "../../domain/user/SecondFactor.ts"
import { randomPart } from "../crypto/Crypto.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { hashOf, makeBegin } from "./ConsoleSessionsSql.ts"
import { userColumns, UserRow } from "./UsersSql.ts"
import { isPending, PendingSignIns, type StartedSession } from "../../services/user/ConsoleSessions.ts"

const PendingRow = Schema.Struct({
  ...UserRow.fields,
  challenge: Schema.String,
  linkMadeBy: Schema.NullOr(Schema.String)
})
const TryRow = Schema.Struct({ tries: Schema.Int, challenge: Schema.String })
/** Counted in advance: of parallel tries, the allowed number is compared. */
const takeTry = Effect.fnUntraced(function* (hash: Buffer, now: Date) {
  const sql = yield* SqlClient.SqlClient
  const next = yield* randomPart(yield* SecureRandom.SecureRandom)
  const [row] = yield* rowsOf(TryRow)(sql`
    with found as (
      select secret_hash, challenge from pending_sign_ins p
      where p.secret_hash = ${hash}::bytea and p.expires_at > ${now}::timestamptz and p.tries < ${MAX_WRONG_OF_SIGN_IN}
      for update
    )
    update pending_sign_ins p set tries = p.tries + 1, challenge = ${next} from found
    where p.secret_hash = found.secret_hash
    returning p.tries, found.challenge`)
  return Option.map(Option.fromUndefinedOr(row), ({ tries, challenge }) => ({
    triesLeft: MAX_WRONG_OF_SIGN_IN - tries,
    challenge
  }))
})

export const PendingSignInsSql = Layer.effect(
  PendingSignIns,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const context = yield* Effect.context<SqlClient.SqlClient | SecureRandom.SecureRandom>()
    const begin = yield* makeBegin
    const columns = userColumns(sql)
    const pendingRows = rowsOf(PendingRow)

    return PendingSignIns.of({
      find: Effect.fnUntraced(function* (secret, now) {
        const hash = hashOf(secret)
        if (hash === null) return Option.none()
        const [row] = yield* pendingRows(sql`
          select ${columns}, p.challenge, p.made_by as "linkMadeBy"
          from pending_sign_ins p join users u on u.id = p.user_id
          where p.secret_hash = ${hash}::bytea and p.expires_at > ${timestamp(now)}::timestamptz
            and p.tries < ${MAX_WRONG_OF_SIGN_IN} and u.disabled_at is null and u.sign_in_epoch = p.user_epoch`)
        return Option.map(Option.fromUndefinedOr(row), ({ challenge, linkMadeBy, ...user }) => ({
          user,
          challenge,
          linkMadeBy
        }))
      }),

      take: Effect.fnUntraced(function* (secret, now) {
        const hash = hashOf(secret)
        return hash === null
          ? Option.none()
          : yield* Effect.provideContext(takeTry(hash, timestamp(now)), context)
      }),

      refund: (secret) => {
        const hash = hashOf(secret)
        return hash === null
          ? Effect.void
          : Effect.orDie(
              Effect.asVoid(sql`
                update pending_sign_ins set tries = greatest(0, tries - 1) where secret_hash = ${hash}::bytea`)
            )
      },

      complete: Effect.fnUntraced(function* (secret, now, network) {
        const hash = hashOf(secret)
        if (hash === null) return Option.none()
        const begun = yield* begin(
          sql`used as (
            delete from pending_sign_ins
            where secret_hash = ${hash}::bytea and expires_at > ${timestamp(now)}::timestamptz
            returning user_id, user_epoch, made_by, signed_in_at
          ), owner as (
            select ${columns}, u.sign_in_epoch as epoch, used.made_by as "linkMadeBy",
              case when used.made_by is null then ${timestamp(now)}::timestamptz else used.signed_in_at end as "signedInAt"
            from used join users u on u.id = used.user_id
            where u.disabled_at is null and u.sign_in_epoch = used.user_epoch
            for no key update of u
          )`,
          now,
          network,
          true
        )
        return Option.filter(begun, (each): each is StartedSession => !isPending(each))
      }),

      end: (secret) => {
        const hash = hashOf(secret)
        return hash === null
          ? Effect.void
          : Effect.orDie(Effect.asVoid(sql`delete from pending_sign_ins where secret_hash = ${hash}::bytea`))
      }
    })
  })
)
