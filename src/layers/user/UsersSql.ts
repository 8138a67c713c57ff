import { Clock, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { toPage } from "../../domain/Paging.ts"
import { problem } from "../../domain/Problem.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { UserRecord } from "../../domain/user/User.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { factorConditions } from "./SecondFactorsSql.ts"
import { forgetFailures } from "./SignInLimitsSql.ts"
import { type UserChange, Users } from "../../services/user/Users.ts"

export const UserRow = Schema.Struct({
  ...UserRecord.fields,
  createdAt: InstantColumn,
  disabledAt: Schema.NullOr(InstantColumn)
})

/** Columns of table `users`, named `u`. */
export const userColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`u.id, coalesce(u.customer_id, 0) as "customerId", u.email, u.name,
    case u.role when 'operator' then 'owner' else u.role end as role, u.role = 'operator' as "isOperator",
    u.created_at as "createdAt", u.disabled_at as "disabledAt"`)

/** The row of a user in a list: `memberColumns`. */
export const MemberRow = Schema.Struct({
  ...UserRow.fields,
  lastSignInAt: Schema.NullOr(InstantColumn),
  hasSecondFactor: Schema.Boolean,
  invitedBy: Schema.NullOr(Schema.String),
  invitedByName: Schema.NullOr(Schema.String)
})

/** The columns of a user, and those that only lists of users show. */
export const memberColumns = (sql: SqlClient.SqlClient) => sql`${userColumns(sql)},
    u.last_sign_in_at as "lastSignInAt", ${factorConditions(sql, false).isProtected} as "hasSecondFactor",
    u.invited_by as "invitedBy", (select m.name from users m where m.id = u.invited_by) as "invitedByName"`

export const UsersSql = Layer.effect(
  Users,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const userRows = rowsOf(MemberRow)
    const columns = memberColumns(sql)

    const find = Effect.fnUntraced(function* (customerId: number, id: string) {
      const [row] = yield* userRows(
        sql`select ${columns} from users u where coalesce(u.customer_id, 0) = ${customerId} and u.id = ${id}::uuid`
      )
      return row ?? (yield* new NotFound())
    })

    /** In the order of ids, so that no two such locks wait for each other. */
    const lock = Effect.fnUntraced(function* (customerId: number, id: string) {
      const rows = yield* userRows(sql`
        select ${columns} from users u
        where u.customer_id = ${customerId} and u.role = 'owner' and u.disabled_at is null
          or coalesce(u.customer_id, 0) = ${customerId} and u.id = ${id}::uuid
        order by u.id for update`)
      const user = rows.find((row) => row.id === id.toLowerCase())
      if (user === undefined) return yield* new NotFound()
      return { user, otherOwners: rows.length - 1 }
    })

    const endSessions = (id: string, now: number) =>
      Effect.orDie(sql`
        with signed_out as (delete from console_sessions where user_id = ${id}::uuid),
          forgotten as (delete from sign_in_links where user_id = ${id}::uuid),
          unfinished as (delete from pending_sign_ins where user_id = ${id}::uuid)
        update refresh_tokens set revoked_at = ${timestamp(now)}
        where user_id = ${id}::uuid and revoked_at is null`)

    const update = Effect.fnUntraced(function* (
      customerId: number,
      id: string,
      { name, role, isDisabled }: UserChange
    ) {
      const now = yield* Clock.currentTimeMillis
      const disabledAt =
        isDisabled === undefined
          ? sql`disabled_at`
          : isDisabled
            ? sql`coalesce(disabled_at, ${timestamp(now)})`
            : sql`null`
      const [row] = yield* userRows(sql`
        update users u set name = coalesce(${name ?? null}::text, name), role = coalesce(${role ?? null}::text, role),
          disabled_at = ${disabledAt}, sign_in_epoch = sign_in_epoch + ${isDisabled === true ? 1 : 0}
        where coalesce(u.customer_id, 0) = ${customerId} and u.id = ${id}::uuid returning ${columns}`)
      if (row === undefined) return yield* new NotFound()
      if (isDisabled === true) yield* endSessions(id, now)
      return row
    })

    return Users.of({
      find,
      lock,
      update,

      list: Effect.fnUntraced(function* (customerId, { limit, after }) {
        const before = after !== null && isUuid(after.toLowerCase()) ? after : null
        const rows = yield* userRows(sql`
          select ${columns} from users u
          where u.customer_id = ${customerId} and (${before}::uuid is null or u.id < ${before}::uuid)
          order by u.id desc limit ${limit + 1}`)
        return toPage(rows, limit, ({ id }) => id)
      }),

      create: Effect.fnUntraced(function* (
        customerId,
        { email, name, role, passwordHash, invitedBy = null }
      ) {
        const now = timestamp(yield* Clock.currentTimeMillis)
        const [row] = yield* userRows(sql`
          insert into users as u (id, customer_id, email, name, role, password_hash, invited_by, created_at)
          values (${yield* random.uuidV7()}::uuid, ${customerId}, ${email}, ${name}, ${role}, ${passwordHash},
            ${invitedBy}::uuid, ${now})
          on conflict (email) do nothing returning ${columns}`)
        return row ?? (yield* new Conflict({ problem: problem("email_taken") }))
      }),

      ownerOf: Effect.fnUntraced(function* (id) {
        if (!isUuid(id.toLowerCase())) return yield* new NotFound()
        const [row] = yield* userRows(sql`select ${columns} from users u where u.id = ${id}::uuid`)
        return row === undefined ? yield* new NotFound() : row.customerId
      }),

      setPassword: Effect.fnUntraced(function* (customerId, id, passwordHash) {
        const [row] = yield* userRows(sql`
          update users u set password_hash = ${passwordHash}, sign_in_epoch = sign_in_epoch + 1
          where coalesce(u.customer_id, 0) = ${customerId} and u.id = ${id}::uuid returning ${columns}`)
        if (row === undefined) return yield* new NotFound()
        yield* endSessions(id, yield* Clock.currentTimeMillis)
        yield* forgetFailures(sql, row.email)
        return row
      })
    })
  })
)
