import { Clock, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type Statement } from "effect/sql"
import { Conflict } from "../../domain/Errors.ts"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import { problem } from "../../domain/Problem.ts"
import {
  consoleSecret,
  idleEnd,
  linkEnd,
  looksLikeConsoleSecret,
  sessionEnd
} from "../../domain/user/Sessions.ts"
import { hashSecret, randomPart } from "../crypto/Crypto.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { userColumns, UserRow } from "./UsersSql.ts"
import {
  ConsoleSessions,
  type LinkMaker,
  type SignInLink,
  SignInLinks,
  type StartedSession
} from "../../services/user/ConsoleSessions.ts"
import { Operators } from "../../services/user/Operators.ts"

/** A session that is used is written to at most this often. */
const TOUCH_MILLIS = MINUTE_MILLIS

const SessionRow = Schema.Struct({
  ...UserRow.fields,
  sessionId: Schema.String,
  enteredId: Schema.NullOr(Schema.Int),
  enteredName: Schema.NullOr(Schema.String),
  signedInAt: Schema.NullOr(InstantColumn),
  epoch: Schema.Int
})
const StartedRow = Schema.Struct({ ...SessionRow.fields, linkMadeBy: Schema.NullOr(Schema.String) })
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

const toSession = ({
  sessionId,
  enteredId,
  enteredName,
  signedInAt,
  epoch,
  ...user
}: typeof SessionRow.Type) => ({
  id: sessionId,
  user,
  enteredId,
  enteredName,
  signedInAt,
  epoch
})

/**
 * The user of a link `used`, if it still works: since it was made, nobody has signed its user or its maker out
 * everywhere, and its maker may still make it. A link for oneself continues the maker's sign-in.
 */
const ownerByLink = (sql: SqlClient.SqlClient, now: Date) => sql`owner as (
  select ${userColumns(sql)}, u.sign_in_epoch as epoch, used.made_by as "linkMadeBy",
    case when used.made_by is null then ${now}::timestamptz when used.made_by = u.id then used.signed_in_at end
      as "signedInAt"
  from used join users u on u.id = used.user_id
  where u.disabled_at is null and u.sign_in_epoch = coalesce(used.user_epoch, u.sign_in_epoch)
    and (used.made_by is null or exists (
      select from users m where m.id = used.made_by and m.disabled_at is null and m.sign_in_epoch = used.maker_epoch
        and (m.role = 'operator' or m.role = 'owner' and m.customer_id = u.customer_id)))
  for share of u
)`

export const ConsoleSessionsSql = Layer.effect(
  ConsoleSessions,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const newSecret = yield* makeSecret
    const rows = rowsOf(SessionRow)
    const startedRows = rowsOf(StartedRow)
    const columns = userColumns(sql)

    /** A session of the user that `owner`, a query, selects; it locks the row against a change of the password. */
    const startFor = Effect.fnUntraced(function* (owner: Statement.Fragment, now: number) {
      const secret = yield* newSecret("console")
      const [row] = yield* startedRows(sql`
        with ${owner}, made as (
          insert into console_sessions
            (id, secret_hash, user_id, created_at, idle_ends_at, ends_at, signed_in_at)
          select ${yield* random.uuidV7()}::uuid, ${hashSecret(secret)}::bytea, id, ${timestamp(now)}::timestamptz,
            ${timestamp(idleEnd(now))}::timestamptz, ${timestamp(sessionEnd(now))}::timestamptz, "signedInAt"
          from owner
          returning id
        )
        select owner.*, made.id as "sessionId", null::int as "enteredId",
          null::text as "enteredName" from owner, made`)
      return Option.map(Option.fromUndefinedOr(row), ({ linkMadeBy, ...made }): StartedSession => ({
        session: toSession(made),
        secret: Redacted.make(secret),
        linkMadeBy
      }))
    })

    return ConsoleSessions.of({
      start: ({ user, passwordHash }, now) =>
        startFor(
          sql`owner as (
            select ${columns}, u.sign_in_epoch as epoch, null::uuid as "linkMadeBy",
              ${timestamp(now)}::timestamptz as "signedInAt" from users u
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
            returning user_id, user_epoch, made_by, maker_epoch, signed_in_at
          ), ${ownerByLink(sql, timestamp(now))}`,
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
            select ${columns}, s.id as "sessionId", s.customer_id as "enteredId",
              (select c.name from customers c where c.id = s.customer_id) as "enteredName", s.signed_in_at as "signedInAt",
              u.sign_in_epoch as epoch, s.idle_ends_at
            from console_sessions s join users u on u.id = s.user_id
            where s.secret_hash = ${hash}::bytea and s.idle_ends_at > ${now}::timestamptz
              and s.ends_at > ${now}::timestamptz and u.disabled_at is null
          ), touched as (
            update console_sessions s set idle_ends_at = ${idle}::timestamptz from found
            where s.id = found."sessionId" and found.idle_ends_at < ${timestamp(idleEnd(instant) - TOUCH_MILLIS)}::timestamptz
          )
          select found.id, found."customerId", found.email, found.name, found.role, found."isOperator",
            found."createdAt", found."disabledAt", found."sessionId", found."enteredId",
            found."enteredName", found."signedInAt",
            found.epoch from found`)
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
            with ended as (delete from console_sessions where user_id = ${userId}::uuid),
              forgotten as (delete from sign_in_links where user_id = ${userId}::uuid),
              next as (update users set sign_in_epoch = sign_in_epoch + 1 where id = ${userId}::uuid)
            update refresh_tokens set revoked_at = ${timestamp(now)}
            where user_id = ${userId}::uuid and revoked_at is null`)
        )
    })
  })
)

const insertLink = Effect.fnUntraced(function* (
  owner: (sql: SqlClient.SqlClient) => Statement.Fragment,
  now: number,
  maker: LinkMaker | null
) {
  const sql = yield* SqlClient.SqlClient
  const newSecret = yield* makeSecret
  const secret = yield* newSecret("link")
  const expiresAt = linkEnd(now)
  const [row] = yield* rowsOf(LinkRow)(sql`
    insert into sign_in_links
      (secret_hash, user_id, created_at, expires_at, user_epoch, made_by, maker_epoch, signed_in_at)
    select ${hashSecret(secret)}::bytea, u.id, ${timestamp(now)}::timestamptz, ${timestamp(expiresAt)}::timestamptz,
      u.sign_in_epoch, ${maker?.userId ?? null}::uuid, ${maker?.epoch ?? null}::int,
      ${maker?.signedInAt == null ? null : timestamp(maker.signedInAt)}::timestamptz
    from users u where u.disabled_at is null and ${owner(sql)}
    order by u.id limit 1
    -- a newer link ends the older one
    on conflict (user_id) do update set secret_hash = excluded.secret_hash, created_at = excluded.created_at,
      expires_at = excluded.expires_at, user_epoch = excluded.user_epoch, made_by = excluded.made_by,
      maker_epoch = excluded.maker_epoch, signed_in_at = excluded.signed_in_at
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
      create: (customerId, email, now, maker = null) =>
        insertLink(
          (sql) => sql`u.customer_id = ${customerId}
            and case when ${email}::text is null then u.role = 'owner' else u.email = ${email}::text end`,
          now,
          maker
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
        return row ?? (yield* new Conflict({ problem: problem("email_taken") }))
      }),

      list: rows(sql`select ${userColumns(sql)} from users u where u.role = 'operator' order by u.id`),

      signInLink: (email, now) =>
        insertLink((of) => of`u.role = 'operator' and u.email = ${email}`, now, null).pipe(
          Effect.provideContext(context)
        )
    })
  })
)
