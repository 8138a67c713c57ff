import { Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import {
  type AlertCondition,
  ALERT_EVENTS,
  alertEventOf,
  type AlertMeans,
  type AlertRecipient,
  type AlertRecord,
  RecipientType,
  TEST_ALERT
} from "../../domain/alert/Alert.ts"
import { newSubject, type QuietHours, seen, sendableAt, type Sighting } from "../../domain/alert/AlertPace.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import { InstantColumn, nullableTimestamp, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { WEBHOOK_TIMER } from "../webhook/WebhookTimers.ts"

/** The subject of such a timer is the alert, its lane the delivery's. */
const ALERT_TIMER: TimerKind = "alert"

const SubjectRow = Schema.Struct({
  isOpen: Schema.Boolean,
  sentAt: Schema.NullOr(InstantColumn),
  heldBack: Schema.Int
})
const SettingsRow = Schema.Struct({
  kinds: Schema.Array(Schema.String),
  quietFrom: Schema.NullOr(Schema.Int),
  quietUntil: Schema.NullOr(Schema.Int),
  urgentPasses: Schema.Boolean
})
const RecipientRow = Schema.Struct({ id: Schema.Int, type: RecipientType })
const EndpointRow = Schema.Struct({ id: Schema.Int, lane: Schema.Int })

const meansOf = (type: RecipientType): AlertMeans => (type === "phone" ? "message" : "email")

type NewAlert = Omit<AlertRecord, "deliveries">

/** Raises alerts: each with its deliveries, their timers and its event, in one transaction. */
export const alertWrites = (sql: SqlClient.SqlClient, random: SecureRandom.SecureRandom["Service"]) => {
  const subjectRows = rowsOf(SubjectRow)
  const settingsRows = rowsOf(SettingsRow)
  const recipientRows = rowsOf(RecipientRow)
  const endpointRows = rowsOf(EndpointRow)

  const insertAlert = (customerId: number, { id, kind, subject, counts, heldBack, raisedAt }: NewAlert) =>
    Effect.orDie(sql`
      insert into alerts (customer_id, id, kind, subject_type, subject_id, subject_name, counts, held_back, raised_at)
      values (${customerId}, ${id}::uuid, ${kind}, ${subject.type}, ${subject.id}, ${subject.name},
        ${JSON.stringify(counts)}::text::jsonb, ${heldBack}, ${timestamp(raisedAt)})`)

  /** Timers are with the customer's rows, the rest is with the set-up, which can be apart: each has a statement of its own. */
  const insertDeliveries = Effect.fnUntraced(function* (
    customerId: number,
    { id }: Pick<NewAlert, "id">,
    recipients: ReadonlyArray<Pick<AlertRecipient, "id" | "type">>,
    dueAt: Instant
  ) {
    if (recipients.length === 0) return
    const at = timestamp(dueAt)
    yield* Effect.orDie(sql`
      insert into alert_deliveries (customer_id, alert_id, lane, recipient_id, means, status, first_due_at, due_at)
      select ${customerId}, ${id}::uuid, d.lane - 1, d.recipient, d.means, 'pending', ${at}, ${at}
      from unnest(${recipients.map((each) => each.id)}::int[], ${recipients.map(({ type }) => meansOf(type))}::text[])
        with ordinality as d (recipient, means, lane)`)
    yield* Effect.orDie(sql`
      insert into timers (customer_id, kind, subject, lane, claimable_at)
      select ${customerId}, ${ALERT_TIMER}, ${id}::uuid, lane - 1, ${at}
      from generate_series(1, ${recipients.length}::int) as lane`)
  })

  /** The endpoints that name such alerts, and that it is not about. */
  const endpointsFor = (customerId: number, { kind, subject }: NewAlert, type: string) =>
    endpointRows(sql`
      select id, lane::int as lane from webhook_endpoints
      where customer_id = ${customerId} and disabled_at is null and mode = 'live'
        and events && array[${type}, ${ALERT_EVENTS}]::text[]
        and not (${subject.type === "webhook"}::boolean and id::text = ${subject.id}) and ${kind !== TEST_ALERT}::boolean`)

  /** The event tells when the alert was raised; it is posted when people may hear of it. */
  const insertEvent = Effect.fnUntraced(function* (customerId: number, alert: NewAlert, dueAt: Instant) {
    const { kind, subject, counts, heldBack, raisedAt } = alert
    const type = alertEventOf(kind)
    if (type === null) return
    const endpoints = yield* endpointsFor(customerId, alert, type)
    if (endpoints.length === 0) return
    const id = yield* random.uuidV7()
    const at = timestamp(raisedAt)
    const due = timestamp(dueAt)
    const data = JSON.stringify({ kind, subject, counts, held_back: heldBack })
    yield* Effect.orDie(sql`
      insert into events (customer_id, id, type, subject, sequence, data, occurred_at, mode)
      values (${customerId}, ${id}::uuid, ${type}, ${alert.id}::uuid, 1, ${data}::text::jsonb, ${at}, 'live')`)
    yield* Effect.orDie(sql`
      insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at, next_try_at)
      select ${customerId}, w, ${id}::uuid, 'pending', ${at}, ${due}
      from unnest(${endpoints.map((each) => each.id)}::int[]) as w`)
    yield* Effect.orDie(sql`
      insert into timers (customer_id, kind, subject, lane, claimable_at)
      select ${customerId}, ${WEBHOOK_TIMER}, ${id}::uuid, lane, ${due}
      from unnest(${endpoints.map(({ lane }) => lane)}::int[]) as lane`)
  })

  const settingsOf = Effect.fnUntraced(function* (customerId: number, kind: string) {
    const [row] = yield* settingsRows(sql`
      select kinds, quiet_from::int as "quietFrom", quiet_until::int as "quietUntil", urgent_passes as "urgentPasses"
      from alert_settings where customer_id = ${customerId}`)
    if (row === undefined) return { isWanted: true, quietHours: null, urgentPasses: true }
    const { kinds, quietFrom, quietUntil, urgentPasses } = row
    const quietHours: QuietHours | null =
      quietFrom === null || quietUntil === null ? null : { from: quietFrom, until: quietUntil }
    return { isWanted: kinds.includes(kind), quietHours, urgentPasses }
  })

  const raise = Effect.fnUntraced(function* (customerId: number, alert: NewAlert, now: Instant) {
    const { isWanted, ...pace } = yield* settingsOf(customerId, alert.kind)
    const dueAt = sendableAt(alert.kind, pace, now)
    yield* insertAlert(customerId, alert)
    const recipients = isWanted
      ? yield* recipientRows(sql`
          select r.id, r.type from alert_recipients r left join users u on u.id = r.user_id
          where r.customer_id = ${customerId} and r.confirmed_at is not null and u.disabled_at is null
          order by r.id`)
      : []
    yield* insertDeliveries(customerId, alert, recipients, dueAt)
    yield* insertEvent(customerId, alert, dueAt)
    return dueAt
  })

  /** Locked until the transaction ends: of several sightings at once, one alerts. */
  const lockSubject = Effect.fnUntraced(function* (
    customerId: number,
    { kind, subject: { type, id } }: AlertCondition,
    now: Instant
  ) {
    yield* Effect.orDie(sql`
      insert into alert_subjects (customer_id, kind, subject_type, subject_id, is_open, held_back, updated_at)
      values (${customerId}, ${kind}, ${type}, ${id}, false, 0, ${timestamp(now)}) on conflict do nothing`)
    const [row] = yield* subjectRows(sql`
      select is_open as "isOpen", sent_at as "sentAt", held_back as "heldBack" from alert_subjects
      where customer_id = ${customerId} and kind = ${kind} and subject_type = ${type} and subject_id = ${id}
      for update`)
    return row ?? newSubject
  })

  const sight = Effect.fnUntraced(function* (
    customerId: number,
    condition: AlertCondition,
    sighting: Sighting,
    now: Instant
  ) {
    const { kind, subject, counts } = condition
    const before = yield* lockSubject(customerId, condition, now)
    const { state, alert } = seen(before, sighting, now)
    if (state === before) return null
    yield* Effect.orDie(sql`
      update alert_subjects set is_open = ${state.isOpen}, sent_at = ${nullableTimestamp(state.sentAt)}::timestamptz,
        held_back = ${state.heldBack}, updated_at = ${timestamp(now)}
      where customer_id = ${customerId} and kind = ${kind} and subject_type = ${subject.type}
        and subject_id = ${subject.id}`)
    if (alert === null) return null
    const raised = {
      id: yield* random.uuidV7(),
      kind,
      subject,
      counts,
      heldBack: alert.heldBack,
      raisedAt: now
    }
    return yield* raise(customerId, raised, now)
  })

  return {
    sight: (customerId: number, condition: AlertCondition, sighting: Sighting, now: Instant) =>
      Effect.orDie(sql.withTransaction(sight(customerId, condition, sighting, now))),

    test: Effect.fnUntraced(function* (customerId: number, recipient: AlertRecipient, now: Instant) {
      const alert: NewAlert = {
        id: yield* random.uuidV7(),
        kind: TEST_ALERT,
        subject: { type: "recipient", id: String(recipient.id), name: null },
        counts: {},
        heldBack: 0,
        raisedAt: now
      }
      yield* insertAlert(customerId, alert)
      yield* insertDeliveries(customerId, alert, [recipient], now)
      return alert.id
    })
  }
}
