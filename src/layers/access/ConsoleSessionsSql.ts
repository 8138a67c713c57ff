import { Clock, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type Statement } from "effect/sql"
import { hashSecret, randomPart } from "../crypto/RandomSecrets.ts"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import {
  consoleSecret,
  idleEnd,
  linkEnd,
  looksLikeConsoleSecret,
  sessionEnd
} from "../../domain/people/ConsoleSession.ts"
import { Conflict } from "../../domain/Errors.ts"
import { Operators } from "../../services/access/Operators.ts"
import { ConsoleSessions, type StartedSession } from "../../services/access/ConsoleSessions.ts"
import { SignInLinks, type SignInLink } from "../../services/access/SignInLinks.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { userColumns, UserRow } from "./UserRows.ts"

/** A session that is used is written to at most this often. */
const TOUCH_MILLIS = MINUTE_MILLIS

const SessionRow = Schema.Struct({
  ...UserRow.fields,
  sessionId: Schema.String,
  enteredId: Schema.NullOr(Schema.Int)
})
const LinkRow = Schema.Struct({ userId: Schema.String })

const makeSecret = Effect.map(
  SecureRandom.SecureRandom,
  (random) => (kind: "console" | "link") =>
    Effect.map(randomPart(random), (part) => consoleSecret(kind, part))
)

const hashOf = (given: Redacted.Redacted): Buffer | null => {
  const secret = Redacted.value(given)
  return looksLikeConsoleSecret(secret) ? hashSecret(secret) : null
}

const toSession = ({ sessionId, enteredId, ...user }: typeof SessionRow.Type) => ({
  id: sessionId,
  user,
  enteredId
})

export const ConsoleSessionsSql = Layer.effect(
  ConsoleSessions,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const newSecret = yield* makeSecret
    const rows = rowsOf(SessionRow)
    const columns = userColumns(sql)

    /** A session of the user that `owner`, a query, selects; it locks the row against a change of the password. */
    const startFor = Effect.fnUntraced(function* (owner: Statement.Fragment, now: number) {
      const secret = yield* newSecret("console")
      const [row] = yield* rows(sql`
        with ${owner}, made as (
          insert into console_sessions (id, secret_hash, user_id, created_at, idle_ends_at, ends_at)
          select ${yield* random.uuidV7()}::uuid, ${hashSecret(secret)}::bytea, id, ${timestamp(now)}::timestamptz,
            ${timestamp(idleEnd(now))}::timestamptz, ${timestamp(sessionEnd(now))}::timestamptz from owner
          returning id
        )
        select owner.*, made.id as "sessionId", null::int as "enteredId" from owner, made`)
      return Option.map(Option.fromUndefinedOr(row), (made): StartedSession => ({
        session: toSession(made),
        secret: Redacted.make(secret)
      }))
    })

    return ConsoleSessions.of({
      start: ({ user, passwordHash }, now) =>
        startFor(
          sql`owner as (
            select ${columns} from users u
            where u.id = ${user.id}::uuid and u.disabled_at is null and u.password_hash = ${passwordHash} for share
          )`,
          now
        ),

      startByLink: Effect.fnUntraced(function* (link, now) {
        const hash = hashOf(link)
        if (hash === null) return Option.none()
        return yield* startFor(
          sql`used as (
            delete from sign_in_links where secret_hash = ${hash}::bytea and expires_at > ${timestamp(now)}::timestamptz
            returning user_id
          ), owner as (
            select ${columns} from users u where u.id = (select user_id from used) and u.disabled_at is null for share
          )`,
          now
        )
      }),

      use: Effect.fnUntraced(function* (secret, instant) {
        const hash = hashOf(secret)
        if (hash === null) return Option.none()
        const now = timestamp(instant)
        const idle = timestamp(idleEnd(instant))
        const [row] = yield* rows(sql`
          with found as (
            select ${columns}, s.id as "sessionId", s.customer_id as "enteredId", s.idle_ends_at from console_sessions s join users u on u.id = s.user_id
            where s.secret_hash = ${hash}::bytea and s.idle_ends_at > ${now}::timestamptz
              and s.ends_at > ${now}::timestamptz and u.disabled_at is null
          ), touched as (
            update console_sessions s set idle_ends_at = ${idle}::timestamptz from found
            where s.id = found."sessionId" and found.idle_ends_at < ${timestamp(idleEnd(instant) - TOUCH_MILLIS)}::timestamptz
          )
          select found.id, found."customerId", found.email, found.name, found.role, found."isOperator",
            found."createdAt", found."disabledAt", found."sessionId", found."enteredId" from found`)
        return Option.map(Option.fromUndefinedOr(row), toSession)
      }),

      enter: (sessionId, customerId) =>
        Effect.orDie(
          Effect.asVoid(
            sql`update console_sessions set customer_id = ${customerId}::int where id = ${sessionId}::uuid`
          )
        ),

      end: (sessionId) =>
        Effect.orDie(Effect.asVoid(sql`delete from console_sessions where id = ${sessionId}::uuid`)),

      endAll: (userId, now) =>
        Effect.orDie(
          Effect.asVoid(sql`
            with ended as (delete from console_sessions where user_id = ${userId}::uuid)
            update refresh_tokens set revoked_at = ${timestamp(now)}
            where user_id = ${userId}::uuid and revoked_at is null`)
        )
    })
  })
)

const insertLink = Effect.fnUntraced(function* (
  owner: (sql: SqlClient.SqlClient) => Statement.Fragment,
  now: number
) {
  const sql = yield* SqlClient.SqlClient
  const newSecret = yield* makeSecret
  const secret = yield* newSecret("link")
  const expiresAt = linkEnd(now)
  const [row] = yield* rowsOf(LinkRow)(sql`
    insert into sign_in_links (secret_hash, user_id, created_at, expires_at)
    select ${hashSecret(secret)}::bytea, u.id, ${timestamp(now)}::timestamptz, ${timestamp(expiresAt)}::timestamptz
    from users u where u.disabled_at is null and ${owner(sql)}
    order by u.id limit 1
    returning user_id as "userId"`)
  return Option.map(Option.fromUndefinedOr(row), ({ userId }): SignInLink => ({
    userId,
    secret: Redacted.make(secret),
    expiresAt
  }))
})

export const SignInLinksSql = Layer.effect(
  SignInLinks,
  Effect.map(Effect.context<SqlClient.SqlClient | SecureRandom.SecureRandom>(), (context) =>
    SignInLinks.of({
      create: (customerId, email, now) =>
        insertLink(
          (sql) => sql`u.customer_id = ${customerId}
            and case when ${email}::text is null then u.role = 'owner' else u.email = ${email}::text end`,
          now
        ).pipe(Effect.provideContext(context))
    })
  )
)

const OperatorRow = Schema.Struct(UserRow.fields)

export const OperatorsSql = Layer.effect(
  Operators,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const context = yield* Effect.context<SqlClient.SqlClient | SecureRandom.SecureRandom>()
    const rows = rowsOf(OperatorRow)
    return Operators.of({
      create: Effect.fnUntraced(function* ({ email, name, passwordHash }) {
        const now = yield* Clock.currentTimeMillis
        const [row] = yield* rows(sql`
          insert into users as u (id, customer_id, email, name, role, password_hash, created_at)
          values (${yield* random.uuidV7()}::uuid, null, ${email}, ${name}, 'operator', ${passwordHash},
            ${timestamp(now)})
          on conflict (email) do nothing
          returning ${userColumns(sql)}`)
        return row ?? (yield* new Conflict({ details: { reason: "this e-mail address already exists" } }))
      }),

      list: rows(sql`select ${userColumns(sql)} from users u where u.role = 'operator' order by u.id`),

      signInLink: (email, now) =>
        insertLink((of) => of`u.role = 'operator' and u.email = ${email}`, now).pipe(
          Effect.provideContext(context)
        )
    })
  })
)
