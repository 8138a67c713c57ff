import { Clock, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type Statement } from "effect/sql"
import { Conflict } from "../../domain/Errors.ts"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import { problem } from "../../domain/Problem.ts"
import { pendingEnd } from "../../domain/user/SecondFactor.ts"
import {
  type ConsoleSecretKind,
  consoleSecret,
  type ConsoleSession,
  idleEnd,
  linkEnd,
  looksLikeConsoleSecret,
  SESSION_IDLE_MILLIS,
  sessionEnd
} from "../../domain/user/Sessions.ts"
import { hashSecret, randomPart } from "../crypto/Crypto.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import type { UserRecord } from "../../domain/user/User.ts"
import { memberColumns, MemberRow, userColumns, UserRow } from "./UsersSql.ts"
import {
  ConsoleSessions,
  type LinkMaker,
  type SignInLink,
  SignInLinks
} from "../../services/user/ConsoleSessions.ts"
import { OperatorsNeedFactor } from "../../services/user/SecondFactors.ts"
import { factorConditions } from "./SecondFactorsSql.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { Operators } from "../../services/user/Operators.ts"

/** A session that is used is written to at most this often. */
const TOUCH_MILLIS = MINUTE_MILLIS

/** Enough to see that one does not know them. */
const MAX_LISTED = 100

const SessionRow = Schema.Struct({
  ...UserRow.fields,
  sessionId: Schema.String,
  enteredId: Schema.NullOr(Schema.Int),
  enteredName: Schema.NullOr(Schema.String),
  signedInAt: Schema.NullOr(InstantColumn),
  epoch: Schema.Int,
  mustEnrol: Schema.Boolean
})
const BegunRow = Schema.Struct({
  ...SessionRow.fields,
  /** Null: a second factor is still to come. */
  sessionId: Schema.NullOr(Schema.String),
  linkMadeBy: Schema.NullOr(Schema.String)
})
const ListedRow = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(["console", "api"]),
  network: Schema.NullOr(Schema.String),
  beganAt: InstantColumn,
  lastUsedAt: InstantColumn,
  endsAt: InstantColumn
})
const EndedRow = Schema.Struct({ ended: Schema.Boolean })
const LinkRow = Schema.Struct({ userId: Schema.String })

const makeSecret = Effect.map(
  SecureRandom.SecureRandom,
  (random) => (kind: ConsoleSecretKind) => Effect.map(randomPart(random), (part) => consoleSecret(kind, part))
)

export const hashOf = (given: Redacted.Redacted): Buffer | null => {
  const secret = Redacted.value(given)
  return looksLikeConsoleSecret(secret) ? hashSecret(secret) : null
}

const toSession = ({
  sessionId,
  enteredId,
  enteredName,
  signedInAt,
  epoch,
  mustEnrol,
  ...user
}: typeof SessionRow.Type): ConsoleSession => ({
  id: sessionId,
  user,
  enteredId,
  enteredName,
  signedInAt,
  epoch,
  mustEnrol
})

const userOf = ({
  enteredId: _entered,
  enteredName: _name,
  signedInAt: _signedInAt,
  epoch: _epoch,
  mustEnrol: _mustEnrol,
  ...user
}: Omit<typeof SessionRow.Type, "sessionId">): UserRecord => user

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
  for no key update of u
)`

/**
 * Begins sessions of the user that `owner`, a query, selects; it locks the row against a change of the password. Who has
 * a second factor gets a pending sign-in instead, unless they have just given it.
 */
export const makeBegin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const newSecret = yield* makeSecret
  const begunRows = rowsOf(BegunRow)
  const { isProtected, mustEnrol } = factorConditions(sql, yield* OperatorsNeedFactor)

  return Effect.fnUntraced(function* (
    owner: Statement.Fragment,
    instant: number,
    network: string | null,
    hasGivenFactor = false
  ) {
    const [secret, pendingSecret] = [yield* newSecret("console"), yield* newSecret("pending")]
    const now = timestamp(instant)
    const isWhole = hasGivenFactor ? sql`true` : sql`not ${isProtected}`
    const [row] = yield* begunRows(sql`
      with ${owner}, begun as (
        select owner.*, ${isWhole} as "isWhole", coalesce(${mustEnrol}, false) as "mustEnrol"
        from owner join users u on u.id = owner.id
      ), made as (
        insert into console_sessions
          (id, secret_hash, user_id, created_at, idle_ends_at, ends_at, signed_in_at, network)
        select ${yield* random.uuidV7()}::uuid, ${hashSecret(secret)}::bytea, id, ${now}::timestamptz,
          ${timestamp(idleEnd(instant))}::timestamptz, ${timestamp(sessionEnd(instant))}::timestamptz, "signedInAt",
          ${network}::text
        from begun where "isWhole"
        returning id
      ), pending as (
        insert into pending_sign_ins
          (secret_hash, user_id, user_epoch, made_by, signed_in_at, challenge, created_at, expires_at)
        select ${hashSecret(pendingSecret)}::bytea, id, epoch, "linkMadeBy", "signedInAt", ${yield* randomPart(random)},
          ${now}::timestamptz, ${timestamp(pendingEnd(instant))}::timestamptz
        from begun where not "isWhole"
      ), seen as (
        update users u set last_sign_in_at = ${now}::timestamptz from begun where u.id = begun.id and "isWhole"
      )
      select begun.*, made.id as "sessionId", null::int as "enteredId", null::text as "enteredName"
      from begun left join made on true`)
    return Option.map(Option.fromUndefinedOr(row), ({ linkMadeBy, sessionId, ...made }) => {
      if (sessionId === null) return { user: userOf(made), secret: Redacted.make(pendingSecret) }
      const session = toSession({ ...made, sessionId })
      return { session, secret: Redacted.make(secret), linkMadeBy }
    })
  })
})

export const ConsoleSessionsSql = Layer.effect(
  ConsoleSessions,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const begin = yield* makeBegin
    const rows = rowsOf(SessionRow)
    const listedRows = rowsOf(ListedRow)
    const endedRows = rowsOf(EndedRow)
    const columns = userColumns(sql)
    const { mustEnrol } = factorConditions(sql, yield* OperatorsNeedFactor)

    return ConsoleSessions.of({
      start: ({ user, passwordHash }, now, network = null) =>
        begin(
          sql`owner as (
            select ${columns}, u.sign_in_epoch as epoch, null::uuid as "linkMadeBy",
              ${timestamp(now)}::timestamptz as "signedInAt" from users u
            where u.id = ${user.id}::uuid and u.disabled_at is null and u.password_hash = ${passwordHash}
            for no key update
          )`,
          now,
          network
        ),

      startByLink: Effect.fnUntraced(function* (link, now, network = null) {
        const hash = hashOf(link)
        if (hash === null) return Option.none()
        return yield* begin(
          sql`used as (
            delete from sign_in_links where secret_hash = ${hash}::bytea and expires_at > ${timestamp(now)}::timestamptz
            returning user_id, user_epoch, made_by, maker_epoch, signed_in_at
          ), ${ownerByLink(sql, timestamp(now))}`,
          now,
          network
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
              u.sign_in_epoch as epoch, coalesce(${mustEnrol}, false) as "mustEnrol", s.idle_ends_at
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
            found.epoch, found."mustEnrol" from found`)
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

      list: (userId, now) =>
        listedRows(sql`
          select id, kind, network, "beganAt", "lastUsedAt", "endsAt" from (
            select s.id, 'console' as kind, s.network, s.created_at as "beganAt",
              s.idle_ends_at - ${SESSION_IDLE_MILLIS}::int * interval '1 millisecond' as "lastUsedAt",
              least(s.idle_ends_at, s.ends_at) as "endsAt"
            from console_sessions s where s.user_id = ${userId}::uuid
            union all
            select r.family, 'api', max(r.network), min(r.created_at), max(r.created_at), max(r.expires_at)
            from refresh_tokens r where r.user_id = ${userId}::uuid
            group by r.family having bool_and(r.revoked_at is null)
          ) as each where "endsAt" > ${timestamp(now)}::timestamptz
          order by "beganAt" desc, id limit ${MAX_LISTED}`),

      endOf: (userId, sessionId, now) =>
        isUuid(sessionId)
          ? Effect.map(
              endedRows(sql`
                with here as (
                  delete from console_sessions where id = ${sessionId}::uuid and user_id = ${userId}::uuid
                  returning true as ended
                ), there as (
                  update refresh_tokens set revoked_at = ${timestamp(now)}::timestamptz
                  where family = ${sessionId}::uuid and user_id = ${userId}::uuid and revoked_at is null
                  returning true as ended
                )
                select ended from here union all select ended from there`),
              (ended) => ended.length > 0
            )
          : Effect.succeed(false),

      endAll: (userId, now) =>
        Effect.orDie(
          Effect.asVoid(sql`
            with ended as (delete from console_sessions where user_id = ${userId}::uuid),
              forgotten as (delete from sign_in_links where user_id = ${userId}::uuid),
              unfinished as (delete from pending_sign_ins where user_id = ${userId}::uuid),
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

export const OperatorsSql = Layer.effect(
  Operators,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const context = yield* Effect.context<SqlClient.SqlClient | SecureRandom.SecureRandom>()
    const rows = rowsOf(MemberRow)
    return Operators.of({
      create: Effect.fnUntraced(function* ({ email, name, passwordHash }) {
        const now = yield* Clock.currentTimeMillis
        const [row] = yield* rows(sql`
          insert into users as u (id, customer_id, email, name, role, password_hash, created_at)
          values (${yield* random.uuidV7()}::uuid, null, ${email}, ${name}, 'operator', ${passwordHash},
            ${timestamp(now)})
          on conflict (email) do nothing
          returning ${memberColumns(sql)}`)
        return row ?? (yield* new Conflict({ problem: problem("email_taken") }))
      }),

      list: rows(sql`select ${memberColumns(sql)} from users u where u.role = 'operator' order by u.id`),

      signInLink: (email, now) =>
        insertLink((of) => of`u.role = 'operator' and u.email = ${email}`, now, null).pipe(
          Effect.provideContext(context)
        )
    })
  })
)
