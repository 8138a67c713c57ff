import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { DAY_MILLIS, Instant } from "../../domain/Instant.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"
import { NIL_UUID } from "../../domain/Uuid.ts"
import { DisabledReason, originOf } from "../../domain/Webhook.ts"
import { AlertCounts, AlertMeans, AlertSubject, RaisedKind } from "../../domain/alert/Alert.ts"
import { LONGEST_EXPIRY_MILLIS } from "../../domain/alert/AlertRules.ts"
import { Locale } from "../../domain/verification/CodeText.ts"
import { AlertStore, type AlertTry } from "../../services/alert/AlertStore.ts"
import { first, InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { alertWrites } from "./AlertWritesSql.ts"

const CustomerRow = Schema.Struct({ customerId: Schema.Int })
const HeldRow = Schema.Struct({ lane: Schema.Int })
const WatchedRow = Schema.Struct({ isWatched: Schema.Boolean })
const SubjectRow = Schema.Struct({
  kind: Schema.String,
  subject: Schema.Struct({ type: AlertSubject.fields.type, id: Schema.String }),
  isOpen: Schema.Boolean,
  sentAt: Schema.NullOr(InstantColumn),
  heldBack: Schema.Int
})
const DueRow = Schema.Struct({
  alert: Schema.Struct({
    id: Schema.String,
    kind: RaisedKind,
    subject: AlertSubject,
    counts: AlertCounts,
    heldBack: Schema.Int,
    raisedAt: Instant
  }),
  means: AlertMeans,
  address: Schema.NullOr(Schema.String),
  locale: Locale,
  sender: Schema.NullOr(Schema.String),
  tries: Schema.Int,
  firstDueAt: InstantColumn
})
const FactsRow = Schema.Struct({
  webhooks: Schema.Array(
    Schema.Struct({
      id: Schema.Int,
      url: Schema.String,
      description: Schema.String,
      disabledReason: Schema.NullOr(DisabledReason),
      failingSince: Schema.NullOr(Instant)
    })
  ),
  expiring: Schema.Array(
    Schema.Struct({
      type: Schema.Literals(["key", "token"]),
      id: Schema.Int,
      name: Schema.String,
      expiresAt: Instant
    })
  ),
  credits: Schema.Array(
    Schema.Struct({
      id: Schema.Int,
      label: Schema.String,
      samples: Schema.Array(Schema.Struct({ at: Instant, credit: Schema.Finite }))
    })
  ),
  alarmed: Schema.Int
})

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`

/** Somebody whom alerts of the customer `c` reach: people, or an endpoint that names them. */
const HAS_SOMEBODY = `select customer_id from alert_recipients where confirmed_at is not null
  union select customer_id from webhook_endpoints
    where disabled_at is null and mode = 'live' and array_to_string(events, ' ') like '%alert.%'`

/** How far back credits are read: how fast they are spent. */
const CREDITS_BACK_MILLIS = 7 * DAY_MILLIS

const watchesSql = (sql: SqlClient.SqlClient) => {
  const customerRows = rowsOf(CustomerRow)
  const watchedRows = rowsOf(WatchedRow)
  const subjectRows = rowsOf(SubjectRow)
  const factsRows = rowsOf(FactsRow)
  const somebody = sql.literal(HAS_SOMEBODY)
  return {
    watched: Effect.map(
      customerRows(sql`select w.customer_id as "customerId" from (${somebody}) w order by 1`),
      (rows) => rows.map(({ customerId }) => customerId)
    ),
    isWatched: (customerId: number) =>
      Effect.map(
        watchedRows(
          sql`select exists (select from (${somebody}) w where w.customer_id = ${customerId}) as "isWatched"`
        ),
        ([row]) => row?.isWatched === true
      ),
    scheduleWatches: (customerIds: ReadonlyArray<number>, now: Instant) =>
      Effect.orDie(
        Effect.asVoid(sql`
          insert into timers (customer_id, kind, subject, claimable_at)
          select c, 'alert_watch', ${NIL_UUID}::uuid, ${timestamp(now)}::timestamptz
          from unnest(${customerIds}::int[]) as c on conflict do nothing`)
      ),
    subjects: (customerId: number) =>
      subjectRows(sql`
        select kind, json_build_object('type', subject_type, 'id', subject_id) as subject, is_open as "isOpen",
          sent_at as "sentAt", held_back as "heldBack"
        from alert_subjects where customer_id = ${customerId} and is_open`),
    close: (
      customerId: number,
      subjects: ReadonlyArray<{
        readonly kind: string
        readonly subject: { readonly type: string; readonly id: string }
      }>,
      now: Instant
    ) =>
      Effect.orDie(
        Effect.asVoid(sql`
          update alert_subjects s set is_open = false, updated_at = ${timestamp(now)}
          from unnest(${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ subject }) => subject.type)}::text[],
            ${subjects.map(({ subject }) => subject.id)}::text[]) as c (kind, type, id)
          where s.customer_id = ${customerId} and s.kind = c.kind and s.subject_type = c.type and s.subject_id = c.id`)
      ),
    facts: Effect.fnUntraced(function* (customerId: number, now: Instant) {
      const until = timestamp(now + LONGEST_EXPIRY_MILLIS)
      const own = sql`customer_id is not distinct from ${customerId === 0 ? null : customerId}::int`
      const secrets = (table: string, type: string) => sql`
        select ${type} as type, id, name, expires_at from ${sql(table)}
        where customer_id = ${customerId} and revoked_at is null and expires_at > ${timestamp(now)}
          and expires_at <= ${until}`
      const [row] = yield* factsRows(sql`
        select
          (select coalesce(json_agg(json_build_object('id', id, 'url', url, 'description', description,
              'disabledReason', disabled_reason, 'failingSince', ${sql.literal(millis("failing_since"))}) order by id), '[]')
            from webhook_endpoints where customer_id = ${customerId}
              and (disabled_reason is not null or failing_since is not null)) as webhooks,
          (select coalesce(json_agg(json_build_object('type', type, 'id', id, 'name', name,
              'expiresAt', ${sql.literal(millis("expires_at"))}) order by expires_at), '[]')
            from (${secrets("api_keys", "key")} union all ${secrets("personal_tokens", "token")}) s) as expiring,
          (select coalesce(json_agg(json_build_object('id', id, 'label', label, 'samples', samples) order by id), '[]')
            from sending_accounts a, lateral (
              select json_agg(json_build_object('at', ${sql.literal(millis("noted_at"))}, 'credit', credit) order by noted_at)
                as samples
              from account_balances where account_id = a.id and noted_at > ${timestamp(now - CREDITS_BACK_MILLIS)}) b
            where ${own} and disabled_at is null and samples is not null) as credits,
          (select case when ${customerId} = 0 then (
            select count(distinct customer_id)::int from guard_alarms where cleared_at is null) else 0 end) as alarmed`)
      if (row === undefined) return yield* Effect.die("a select without a table returned no row")
      return {
        ...row,
        webhooks: row.webhooks.map(({ url, description, ...webhook }) => ({
          ...webhook,
          // The rest of an address can be a secret.
          name: description === "" ? (originOf(url) ?? "") : description
        }))
      }
    })
  }
}

const deliveriesSql = (sql: SqlClient.SqlClient) => {
  const dueRows = rowsOf(DueRow)
  const heldRows = rowsOf(HeldRow)
  const isLeased = ({ customerId, kind, subject, lane, leaseToken }: LeasedTimer) => sql`
    customer_id = ${customerId} and kind = ${kind} and subject = ${subject}::uuid and lane = ${lane}
      and lease_token = ${leaseToken}::uuid`
  const isDelivery = ({ customerId, subject, lane }: LeasedTimer) => sql`
    customer_id = ${customerId} and alert_id = ${subject}::uuid and lane = ${lane} and status = 'pending'`

  /** The timer ends, or is due again; without its lease, nothing is recorded. */
  const settle = (timer: LeasedTimer, next: Instant | null, change: Effect.Effect<unknown>) =>
    Effect.orDie(
      sql.withTransaction(
        Effect.gen(function* () {
          const held = yield* heldRows(
            next === null
              ? sql`delete from timers where ${isLeased(timer)} returning lane::int as lane`
              : sql`update timers set lease_token = null, parked = false, claimable_at = ${timestamp(next)}
                  where ${isLeased(timer)} returning lane::int as lane`
          )
          if (held.length > 0) yield* change
        })
      )
    )

  return {
    due: (timer: LeasedTimer) =>
      first(
        dueRows(sql`
            select json_build_object('id', a.id, 'kind', a.kind, 'subject',
                json_build_object('type', a.subject_type, 'id', a.subject_id, 'name', a.subject_name),
                'counts', a.counts, 'heldBack', a.held_back, 'raisedAt', ${sql.literal(millis("a.raised_at"))}) as alert,
              d.means, case when r.confirmed_at is not null and u.disabled_at is null
                then coalesce(r.address, u.email) end as address,
              coalesce(c.locale, 'en') as locale, c.name as sender, d.tries, d.first_due_at as "firstDueAt"
            from alert_deliveries d
              join alerts a on a.customer_id = d.customer_id and a.id = d.alert_id
              left join alert_recipients r on r.customer_id = d.customer_id and r.id = d.recipient_id
              left join users u on u.id = r.user_id
              left join customers c on c.id = d.customer_id
            where d.customer_id = ${timer.customerId} and d.alert_id = ${timer.subject}::uuid
              and d.lane = ${timer.lane} and d.status = 'pending'`)
      ),

    record: (timer: LeasedTimer, made: AlertTry, now: Instant) => {
      const next = made.status === "failed" ? made.next : null
      const at = timestamp(now)
      return settle(
        timer,
        next,
        Effect.orDie(
          made.status === "sent"
            ? sql`update alert_deliveries set status = 'sent', tries = tries + 1, error = null,
                message_id = ${made.messageId}::uuid, finished_at = ${at} where ${isDelivery(timer)}`
            : sql`update alert_deliveries set status = ${next === null ? "failed" : "pending"}, tries = tries + 1,
                error = ${made.error}, due_at = ${timestamp(next ?? now)},
                finished_at = ${next === null ? at : null}::timestamptz where ${isDelivery(timer)}`
        )
      )
    },

    drop: (timer: LeasedTimer, now: Instant) =>
      settle(
        timer,
        null,
        Effect.orDie(
          sql`update alert_deliveries set status = 'dropped', finished_at = ${timestamp(now)} where ${isDelivery(timer)}`
        )
      )
  }
}

export const AlertStoreSql = Layer.effect(
  AlertStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    return AlertStore.of({
      ...watchesSql(sql),
      ...deliveriesSql(sql),
      sight: alertWrites(sql, random).sight
    })
  })
)
