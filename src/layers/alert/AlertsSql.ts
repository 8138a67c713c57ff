import { Clock, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type Statement } from "effect/sql"
import { timingSafeEqual } from "node:crypto"
import { Conflict, NotFound, PreconditionFailed } from "../../domain/Errors.ts"
import { isUuidPosition, toPage } from "../../domain/Paging.ts"
import { problem } from "../../domain/Problem.ts"
import {
  ALERT_WINDOW_MILLIS,
  AlertDelivery,
  AlertKind,
  AlertRecipient,
  AlertRecord,
  customerAlertKinds,
  MAX_CONFIRMATION_TRIES,
  MAX_RECIPIENTS,
  platformAlertKinds
} from "../../domain/alert/Alert.ts"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import {
  type AlertSettingsChange,
  Alerts,
  type NewRecipient,
  type SavedAlertSettings
} from "../../services/alert/Alerts.ts"
import { CustomerRows } from "../../services/customer/CustomerRows.ts"
import { MasterKey } from "../crypto/Crypto.ts"
import { first, InstantColumn, nullableTimestamp, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { alertWrites } from "./AlertWritesSql.ts"

const SettingsRow = Schema.Struct({
  kinds: Schema.Array(Schema.String),
  quietFrom: Schema.NullOr(Schema.Int),
  quietUntil: Schema.NullOr(Schema.Int),
  urgentPasses: Schema.Boolean,
  version: Schema.Int
})

const RecipientRow = Schema.Struct({
  ...AlertRecipient.fields,
  confirmedAt: Schema.NullOr(InstantColumn),
  createdAt: InstantColumn
})
const AddedRow = Schema.Struct({ id: Schema.NullOr(Schema.Int), count: Schema.Int, isUser: Schema.Boolean })
const CodeRow = Schema.Struct({ codeHash: Schema.Uint8Array })
const VerificationRow = Schema.Struct({ verification: Schema.NullOr(Schema.String) })
const UsedRow = Schema.Struct({ used: Schema.Int })
const IdRow = Schema.Struct({ id: Schema.Int })

const AlertRow = Schema.Struct({
  ...AlertRecord.fields,
  raisedAt: InstantColumn,
  deliveries: Schema.Array(AlertDelivery)
})

const isKnown = Schema.is(AlertKind)

/** What there is to be alerted of: all of it, unless people choose. */
const defaultsOf = (customerId: number): SavedAlertSettings => ({
  kinds: customerId === PLATFORM ? platformAlertKinds : customerAlertKinds,
  quietHours: null,
  urgentPasses: true,
  version: 0
})

const toSettings = ({
  kinds,
  quietFrom,
  quietUntil,
  urgentPasses,
  version
}: typeof SettingsRow.Type): SavedAlertSettings => ({
  kinds: kinds.filter(isKnown),
  quietHours: quietFrom === null || quietUntil === null ? null : { from: quietFrom, until: quietUntil },
  urgentPasses,
  version
})

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`

/** The recipients `r` with their users `u`. */
const RECIPIENT_COLUMNS = `r.id, r.type, r.user_id as "userId", coalesce(r.address, u.email) as address, u.name,
  r.confirmed_at as "confirmedAt", u.disabled_at is not null as "isDisabled", r.created_at as "createdAt"`

const recipientsSql = (sql: SqlClient.SqlClient, key: MasterKey["Service"]) => {
  const recipientRows = rowsOf(RecipientRow)
  const addedRows = rowsOf(AddedRow)
  const codeRows = rowsOf(CodeRow)
  const verificationRows = rowsOf(VerificationRow)
  const idRows = rowsOf(IdRow)
  const hashOf = (customerId: number, code: Redacted.Redacted) =>
    key.mac("alert-code", `${customerId}:${Redacted.value(code)}`)

  const select = (customerId: number, more: Statement.Fragment) =>
    recipientRows(sql`
      select ${sql.literal(RECIPIENT_COLUMNS)} from alert_recipients r left join users u on u.id = r.user_id
      where r.customer_id = ${customerId} and ${more} order by r.id`)

  const find = Effect.fnUntraced(function* (customerId: number, id: number) {
    const [row] = yield* select(customerId, sql`r.id = ${id}`)
    return row ?? (yield* new NotFound())
  })

  /** Others that add one wait: the whole statement is one change. */
  const add = Effect.fnUntraced(function* (customerId: number, recipient: NewRecipient) {
    const { userId, confirmation } = recipient
    const now = timestamp(yield* Clock.currentTimeMillis)
    const code = confirmation !== null && "code" in confirmation ? confirmation : null
    const verification =
      confirmation !== null && "verificationId" in confirmation ? confirmation.verificationId : null
    yield* Effect.orDie(sql`select pg_advisory_xact_lock(29, ${customerId})`)
    const [row] = yield* addedRows(sql`
      with there as (select count(*)::int as count from alert_recipients where customer_id = ${customerId}),
      person as (
        select ${userId}::uuid is null or exists (
          select from users where id = ${userId}::uuid and coalesce(customer_id, 0) = ${customerId}
            and disabled_at is null) as is_user),
      added as (
        insert into alert_recipients (customer_id, type, user_id, address, code_hash, code_expires_at, verification,
          confirmed_at, created_at)
        select ${customerId}, ${recipient.type}, ${userId}::uuid, ${recipient.address},
          ${code === null ? null : hashOf(customerId, code.code)}::bytea,
          ${code === null ? null : timestamp(code.expiresAt)}::timestamptz, ${verification}::uuid,
          ${confirmation === null ? now : null}::timestamptz, ${now}
        from there, person where there.count < ${MAX_RECIPIENTS} and person.is_user
        on conflict do nothing
        returning id)
      select (select id from added) as id, there.count, person.is_user as "isUser" from there, person`)
    if (row === undefined) return yield* Effect.die("an insert returned no row")
    if (row.id !== null) return yield* Effect.orDie(find(customerId, row.id))
    if (!row.isUser) return yield* new Conflict({ problem: problem("recipient_unknown_user") })
    return yield* new Conflict({
      problem:
        row.count >= MAX_RECIPIENTS
          ? problem("too_many_recipients", { maximum: MAX_RECIPIENTS })
          : problem("recipient_taken")
    })
  })

  return {
    recipients: (customerId: number) => select(customerId, sql`true`),
    findRecipient: find,
    addRecipient: add,

    removeRecipient: Effect.fnUntraced(function* (customerId: number, id: number) {
      const removed = yield* find(customerId, id)
      yield* Effect.orDie(sql`delete from alert_recipients where customer_id = ${customerId} and id = ${id}`)
      return removed
    }),

    verificationOf: Effect.fnUntraced(function* (customerId: number, id: number) {
      const [row] = yield* verificationRows(
        sql`select verification from alert_recipients where customer_id = ${customerId} and id = ${id}`
      )
      return row === undefined ? yield* new NotFound() : row.verification
    }),

    // A try is counted before it is compared: however many come at once, no more than the limit are.
    compareCode: Effect.fnUntraced(function* (customerId: number, id: number, code: Redacted.Redacted) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      const [row] = yield* codeRows(sql`
        update alert_recipients set wrong_codes = wrong_codes + 1
        where customer_id = ${customerId} and id = ${id} and code_hash is not null and code_expires_at > ${now}
          and wrong_codes < ${MAX_CONFIRMATION_TRIES}
        returning code_hash as "codeHash"`)
      if (row === undefined) return "ended" as const
      if (!timingSafeEqual(row.codeHash, hashOf(customerId, code))) return "wrong" as const
      const used = yield* idRows(sql`
        update alert_recipients set code_hash = null where customer_id = ${customerId} and id = ${id}
          and code_hash = ${row.codeHash}::bytea returning id`)
      return used.length > 0 ? ("right" as const) : ("ended" as const)
    }),

    confirm: Effect.fnUntraced(function* (customerId: number, id: number) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      const rows = yield* idRows(sql`
        update alert_recipients set confirmed_at = coalesce(confirmed_at, ${now}), code_hash = null,
          code_expires_at = null, verification = null
        where customer_id = ${customerId} and id = ${id} returning id`)
      return rows.length === 0 ? yield* new NotFound() : yield* find(customerId, id)
    })
  }
}

const settingsSql = (sql: SqlClient.SqlClient) => {
  const settingsRows = rowsOf(SettingsRow)
  const columns = sql.literal(
    `kinds, quiet_from::int as "quietFrom", quiet_until::int as "quietUntil", urgent_passes as "urgentPasses", version`
  )
  const read = (customerId: number) =>
    Effect.map(
      first(settingsRows(sql`select ${columns} from alert_settings where customer_id = ${customerId}`)),
      Option.match({ onNone: () => defaultsOf(customerId), onSome: toSettings })
    )

  const save = Effect.fnUntraced(function* (
    customerId: number,
    change: AlertSettingsChange,
    version: number | null
  ) {
    const before = yield* read(customerId)
    const kinds = change.kinds ?? before.kinds
    const quiet = change.quietHours === undefined ? before.quietHours : change.quietHours
    const passes = change.urgentPasses ?? before.urgentPasses
    const now = timestamp(yield* Clock.currentTimeMillis)
    if (version !== null && version !== before.version)
      return yield* new PreconditionFailed({ details: { version: before.version } })
    const [row] = yield* settingsRows(sql`
      insert into alert_settings as s (customer_id, kinds, quiet_from, quiet_until, urgent_passes, updated_at)
      values (${customerId}, ${kinds}::text[], ${quiet?.from ?? null}, ${quiet?.until ?? null}, ${passes}, ${now})
      on conflict (customer_id) do update set kinds = excluded.kinds, quiet_from = excluded.quiet_from,
        quiet_until = excluded.quiet_until, urgent_passes = excluded.urgent_passes,
        updated_at = excluded.updated_at, version = s.version + 1
      where s.version = ${before.version}
      returning ${columns}`)
    if (row !== undefined) return toSettings(row)
    // Somebody else saved in between.
    return yield* new PreconditionFailed({ details: { version: (yield* read(customerId)).version } })
  })
  return { settings: read, saveSettings: save }
}

const historySql = (sql: SqlClient.SqlClient) => {
  const alertRows = rowsOf(AlertRow)
  const usedRows = rowsOf(UsedRow)
  const deliveries = sql.literal(`coalesce((
    select jsonb_agg(jsonb_build_object('lane', d.lane, 'recipientId', d.recipient_id, 'means', d.means,
      'status', d.status, 'dueAt', ${millis("d.due_at")}, 'tries', d.tries, 'error', d.error,
      'messageId', d.message_id, 'finishedAt', ${millis("d.finished_at")}) order by d.lane)
    from alert_deliveries d where d.customer_id = a.customer_id and d.alert_id = a.id), '[]')`)
  return {
    list: Effect.fnUntraced(function* (
      customerId: number,
      { limit, after }: { readonly limit: number; readonly after: string | null }
    ) {
      const before = after !== null && isUuidPosition(after) ? after : null
      const rows = yield* alertRows(sql`
        select a.id, a.kind, jsonb_build_object('type', a.subject_type, 'id', a.subject_id, 'name', a.subject_name)
          as subject, a.counts, a.held_back as "heldBack", a.raised_at as "raisedAt", ${deliveries} as deliveries
        from alerts a where a.customer_id = ${customerId} and (${before}::uuid is null or a.id < ${before}::uuid)
        order by a.id desc limit ${limit + 1}`)
      return toPage(rows, limit, ({ id }) => id)
    }),

    takeOfHour: Effect.fnUntraced(function* (customerId: number, kind: "test" | "code", maximum: number) {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* usedRows(sql`
        insert into alert_windows as w (customer_id, kind, ends_at, used)
        values (${customerId}, ${kind}, ${nullableTimestamp(now + ALERT_WINDOW_MILLIS)}, 1)
        on conflict (customer_id, kind) do update set
          used = case when w.ends_at <= ${timestamp(now)}::timestamptz then 1 else w.used + 1 end,
          ends_at = case when w.ends_at <= ${timestamp(now)}::timestamptz then excluded.ends_at else w.ends_at end
        where w.ends_at <= ${timestamp(now)}::timestamptz or w.used < ${maximum}
        returning used`)
      return row !== undefined
    })
  }
}

export const AlertsSql = Layer.effect(
  Alerts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const key = yield* MasterKey
    const { within } = yield* CustomerRows
    const writes = alertWrites(sql, random)
    return Alerts.of({
      ...settingsSql(sql),
      ...recipientsSql(sql, key),
      ...historySql(sql),
      raise: Effect.fnUntraced(function* (customerId, condition) {
        const now = yield* Clock.currentTimeMillis
        yield* within(customerId, writes.sight(customerId, condition, "happened", now))
      }),
      raiseTest: Effect.fnUntraced(function* (customerId, recipient) {
        const now = yield* Clock.currentTimeMillis
        return yield* writes.test(customerId, recipient, now)
      })
    })
  })
)
