import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { KeyMode } from "../../domain/people/Customer.ts"
import { type DisabledReason, WebhookTry } from "../../domain/webhook/Webhook.ts"
import { webhookPayload } from "../../http/WebhookPayload.ts"
import type { LeasedTimer, TimerKind } from "../../domain/Timer.ts"
import { type DueDelivery, WebhookStore } from "../../services/webhook/WebhookStore.ts"
import { MasterKey } from "../crypto/MasterKey.ts"
import { first, InstantColumn, nullableTimestamp, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { EventSubjectColumn, eventSubjectSql, toSubject } from "./WebhookEventSql.ts"
import { openWebhookSecret } from "./WebhookSecrets.ts"

const TIMER_KIND: TimerKind = "webhook"

const DueRow = Schema.Struct({
  endpointId: Schema.Int,
  url: Schema.String,
  isDisabled: Schema.Boolean,
  failingSince: Schema.NullOr(InstantColumn),
  sealedSecret: Schema.Uint8Array,
  sealedPreviousSecret: Schema.NullOr(Schema.Uint8Array),
  tries: Schema.Array(WebhookTry),
  startedAt: Schema.NullOr(InstantColumn),
  nextTryAt: Schema.NullOr(InstantColumn),
  type: Schema.String,
  mode: KeyMode,
  sequence: Schema.Int,
  occurredAt: InstantColumn,
  /** Null if the event's record was deleted. */
  subject: Schema.NullOr(EventSubjectColumn)
})
const CountRow = Schema.Struct({ count: Schema.Int })

const toDue = (
  key: MasterKey["Service"],
  { customerId, subject: eventId, lane }: LeasedTimer,
  row: typeof DueRow.Type
): DueDelivery | null => {
  const { endpointId, url, isDisabled, failingSince, tries, startedAt, nextTryAt } = row
  const { type, mode, sequence, occurredAt, subject } = row
  if (subject === null) return null
  const open = (sealed: Uint8Array) => Redacted.make(openWebhookSecret(key, { customerId, lane }, sealed))
  const previous = row.sealedPreviousSecret === null ? [] : [open(row.sealedPreviousSecret)]
  return {
    customerId,
    endpointId,
    eventId,
    url,
    isDisabled,
    failingSince,
    secrets: [open(row.sealedSecret), ...previous],
    body: webhookPayload({ type, mode, sequence, occurredAt, subject: toSubject(subject) }),
    tries,
    startedAt,
    nextTryAt
  }
}

export const WebhookStoreSql = Layer.effect(
  WebhookStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const key = yield* MasterKey
    const dueRows = rowsOf(DueRow)
    const countRows = rowsOf(CountRow)

    const isHeld = ({ customerId, subject, lane, leaseToken }: LeasedTimer) =>
      sql`t.customer_id = ${customerId} and t.kind = ${TIMER_KIND} and t.subject = ${subject}::uuid
        and t.lane = ${lane} and t.lease_token = ${leaseToken}::uuid`

    const remove = (timer: LeasedTimer) =>
      sql`delete from timers t where ${isHeld(timer)} returning t.customer_id, t.subject`

    const disable = (reason: DisabledReason, now: Instant) =>
      sql`, disabled_at = coalesce(w.disabled_at, ${timestamp(now)}),
        disabled_reason = coalesce(w.disabled_reason, ${reason}::text)`

    /** Other deliveries to the endpoint learn at once that it accepts nothing any more. */
    const wakeOthers = ({ customerId, lane }: LeasedTimer, now: Instant) =>
      sql`, others as (
        update timers t set claimable_at = ${timestamp(now)} from endpoint
        where t.customer_id = ${customerId} and t.kind = ${TIMER_KIND} and t.lane = ${lane}
          and t.lease_token is null)`

    return WebhookStore.of({
      loadLeased: (timer, now) =>
        Effect.map(
          first(
            dueRows(sql`
              select w.id as "endpointId", w.url, w.disabled_at is not null as "isDisabled",
                w.failing_since as "failingSince", w.sealed_secret as "sealedSecret",
                case when w.previous_secret_until > ${timestamp(now)} then w.sealed_previous_secret end
                  as "sealedPreviousSecret",
                d.tries, d.started_at as "startedAt", d.next_try_at as "nextTryAt", e.type, e.mode, e.sequence, e.occurred_at as "occurredAt",
                ${eventSubjectSql(sql)} as subject
              from timers t
              join webhook_endpoints w on w.customer_id = t.customer_id and w.lane = t.lane
              join webhook_deliveries d
                on d.customer_id = t.customer_id and d.endpoint_id = w.id and d.event_id = t.subject
              join events e on e.customer_id = t.customer_id and e.id = t.subject
              where ${isHeld(timer)}`)
          ),
          Option.flatMap((row) => Option.fromNullOr(toDue(key, timer, row)))
        ),

      // The delivery first, then its timer, then the endpoint: a replay locks them in the same order.
      record: Effect.fnUntraced(function* (timer, due, judgement, now) {
        const { status, nextTryAt, startedAt, tries, failingSince, disables } = judgement
        const finishedAt = nullableTimestamp(status === "pending" ? null : now)
        const [row] = yield* countRows(sql`
          with current as (
            select d.customer_id, d.endpoint_id, d.event_id,
              d.next_try_at is distinct from ${nullableTimestamp(due.nextTryAt)}::timestamptz as is_anew
            from webhook_deliveries d
            where d.customer_id = ${due.customerId} and d.endpoint_id = ${due.endpointId}
              and d.event_id = ${due.eventId}::uuid for update),
          moved as (
            update timers t set lease_token = null, claimable_at = case when c.is_anew then ${timestamp(now)}
              else ${timestamp(nextTryAt ?? now)} end
            from current c where ${isHeld(timer)} and (c.is_anew or ${nextTryAt !== null}) returning t.subject),
          removed as (
            delete from timers t using current c
            where ${isHeld(timer)} and not c.is_anew and ${nextTryAt === null} returning t.subject),
          held as (select subject from moved union all select subject from removed),
          delivery as (
            update webhook_deliveries d set tries = ${JSON.stringify(tries)}::jsonb,
              status = case when c.is_anew then d.status else ${status} end,
              started_at = case when c.is_anew then d.started_at else ${timestamp(startedAt)}::timestamptz end,
              next_try_at = case when c.is_anew then d.next_try_at
                else ${nullableTimestamp(nextTryAt)}::timestamptz end,
              finished_at = case when c.is_anew then d.finished_at else ${finishedAt}::timestamptz end
            from current c, held h
            where d.customer_id = c.customer_id and d.endpoint_id = c.endpoint_id and d.event_id = c.event_id
            returning d.customer_id, d.endpoint_id),
          endpoint as (
            update webhook_endpoints w set
              failing_since = case when ${status === "delivered"} then null
                else coalesce(w.failing_since, ${nullableTimestamp(failingSince)}::timestamptz) end
              ${disables === null ? sql`` : disable(disables, now)}
            from delivery d
            where w.customer_id = d.customer_id and w.id = d.endpoint_id and w.url = ${due.url}
              and (${disables !== null} or (w.failing_since is null) = (${status !== "delivered"}))
            returning w.id)
          ${disables === null ? sql`` : wakeOthers(timer, now)}
          select count(*)::int as count from delivery`)
        return row?.count === 1
      }),

      giveUp: (timer, endpointId, now) =>
        Effect.orDie(
          Effect.asVoid(sql`
            with held as (${remove(timer)})
            update webhook_deliveries d set status = 'failed', next_try_at = null, finished_at = ${timestamp(now)}
            from held h
            where d.customer_id = h.customer_id and d.endpoint_id = ${endpointId} and d.event_id = h.subject`)
        )
    })
  })
)
