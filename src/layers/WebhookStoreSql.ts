import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Instant } from "../domain/Instant.ts"
import { type DisabledReason, WebhookTry } from "../domain/Webhook.ts"
import { webhookPayload } from "../http/WebhookPayload.ts"
import type { LeasedTimer, TimerKind } from "../services/Timers.ts"
import { type DueDelivery, WebhookStore } from "../services/WebhookStore.ts"
import { MasterKey } from "./MasterKey.ts"
import { first, InstantColumn, nullableTimestamp, rowsOf, timestamp } from "./SqlRows.ts"
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
  type: Schema.String,
  sequence: Schema.Int,
  occurredAt: InstantColumn,
  subject: EventSubjectColumn
})
const CountRow = Schema.Struct({ count: Schema.Int })

const toDue = (
  key: MasterKey["Service"],
  { customerId, subject: eventId, lane }: LeasedTimer,
  row: typeof DueRow.Type
): DueDelivery => {
  const { endpointId, url, isDisabled, failingSince, tries, startedAt, type, sequence, occurredAt } = row
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
    body: webhookPayload({ type, sequence, occurredAt, subject: toSubject(row.subject) }),
    tries,
    startedAt
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

    /** The timer's next time; null removes it. */
    const moveOn = (timer: LeasedTimer, nextTryAt: Instant | null) =>
      nextTryAt === null
        ? sql`delete from timers t where ${isHeld(timer)} returning t.customer_id, t.subject`
        : sql`update timers t set claimable_at = ${timestamp(nextTryAt)}, lease_token = null
            where ${isHeld(timer)} returning t.customer_id, t.subject`

    const disable = (reason: DisabledReason, now: Instant) =>
      sql`, disabled_at = coalesce(w.disabled_at, ${timestamp(now)}),
        disabled_reason = coalesce(w.disabled_reason, ${reason}::text)`

    /** What else waits for the endpoint finds out at once that it takes nothing any more. */
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
                d.tries, d.started_at as "startedAt", e.type, e.sequence, e.occurred_at as "occurredAt",
                ${eventSubjectSql(sql)} as subject
              from timers t
              join webhook_endpoints w on w.customer_id = t.customer_id and w.lane = t.lane
              join webhook_deliveries d
                on d.customer_id = t.customer_id and d.endpoint_id = w.id and d.event_id = t.subject
              join events e on e.customer_id = t.customer_id and e.id = t.subject
              where ${isHeld(timer)}`)
          ),
          Option.map((row) => toDue(key, timer, row))
        ),

      record: Effect.fnUntraced(function* (timer, endpointId, judgement, now) {
        const { status, nextTryAt, startedAt, tries, failingSince, disables } = judgement
        const finishedAt = nullableTimestamp(status === "pending" ? null : now)
        const [row] = yield* countRows(sql`
          with held as (${moveOn(timer, nextTryAt)}),
          delivery as (
            update webhook_deliveries d set status = ${status}, tries = ${JSON.stringify(tries)}::jsonb,
              started_at = ${timestamp(startedAt)}::timestamptz,
              next_try_at = ${nullableTimestamp(nextTryAt)}::timestamptz, finished_at = ${finishedAt}::timestamptz
            from held h
            where d.customer_id = h.customer_id and d.endpoint_id = ${endpointId} and d.event_id = h.subject
            returning d.customer_id, d.endpoint_id),
          endpoint as (
            update webhook_endpoints w set
              failing_since = case when ${status === "delivered"} then null
                else coalesce(w.failing_since, ${nullableTimestamp(failingSince)}::timestamptz) end
              ${disables === null ? sql`` : disable(disables, now)}
            from delivery d
            where w.customer_id = d.customer_id and w.id = d.endpoint_id
              and (${disables !== null} or (w.failing_since is null) = (${status !== "delivered"}))
            returning w.id)
          ${disables === null ? sql`` : wakeOthers(timer, now)}
          select count(*)::int as count from delivery`)
        return row?.count === 1
      }),

      giveUp: (timer, endpointId, now) =>
        Effect.orDie(
          Effect.asVoid(sql`
            with held as (${moveOn(timer, null)})
            update webhook_deliveries d set status = 'failed', next_try_at = null, finished_at = ${timestamp(now)}
            from held h
            where d.customer_id = h.customer_id and d.endpoint_id = ${endpointId} and d.event_id = h.subject`)
        )
    })
  })
)
