import { Clock, Effect, Schema, Struct } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient, Statement } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import { idAt, instantOf, toPage } from "../../domain/Paging.ts"
import { problem } from "../../domain/Problem.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import {
  MAX_REPLAYED,
  replayedFrom,
  TEST_EVENT,
  WebhookDelivery,
  WebhookExchange
} from "../../domain/Webhook.ts"
import { webhookPayload } from "../../http/manage/WebhookPayload.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { TAKES, webhookTimers } from "./OutboxSql.ts"
import { EVENT_SUBJECT, EventSubjectColumn, toSubject } from "./WebhookEventSql.ts"
import type { Webhooks } from "../../services/webhook/Webhooks.ts"

const EventRow = Schema.Struct({
  type: Schema.String,
  mode: KeyMode,
  sequence: Schema.Int,
  occurredAt: InstantColumn,
  /** Null if the event's record was deleted. */
  subject: Schema.NullOr(EventSubjectColumn)
})

/** The body of a delivery is made again from its event, as it is for each try. */
export const deliveredBodies = (sql: SqlClient.SqlClient): Pick<Webhooks["Service"], "body"> => {
  const eventRows = rowsOf(EventRow)
  return {
    body: Effect.fnUntraced(function* (customerId, id, eventId) {
      const [row] = yield* eventRows(sql`
        select e.type, e.mode, e.sequence, e.occurred_at as "occurredAt", ${sql.literal(EVENT_SUBJECT)} as subject
        from webhook_deliveries d
        join webhook_endpoints w on w.customer_id = d.customer_id and w.id = d.endpoint_id
        join events e on e.customer_id = d.customer_id and e.id = d.event_id
        where d.customer_id = ${customerId} and d.endpoint_id = ${id} and d.event_id = ${eventId}::uuid`)
      return row === undefined || row.subject === null
        ? null
        : webhookPayload({ ...row, subject: toSubject(row.subject) })
    })
  }
}

const DeliveryRow = Schema.Struct({
  ...Struct.omit(WebhookDelivery.fields, ["replayedAt"]),
  createdAt: InstantColumn,
  nextTryAt: Schema.NullOr(InstantColumn),
  finishedAt: Schema.NullOr(InstantColumn),
  replayId: Schema.NullOr(Schema.String)
})

const toDeliveryRecord = ({ replayId, ...row }: typeof DeliveryRow.Type): WebhookDelivery => ({
  ...row,
  replayedAt: replayId === null ? null : instantOf(replayId)
})

/** Where it is in the list, which begins with the highest. */
const positionOf = ({ replayId, eventId }: typeof DeliveryRow.Type): string => replayId ?? eventId

/** The beginning of ids of this instant. */
const idHead = (now: Instant): string => `${idAt(now).replaceAll("-", "").slice(0, 12)}7`

const StateRow = Schema.Struct({ isDisabled: Schema.Boolean })
const ReplayRow = Schema.Struct({ replayed: Schema.Int, nextId: Schema.NullOr(Schema.String) })
const RetryRow = Schema.Struct({ retried: Schema.Int, hasMore: Schema.Boolean })
const ExchangesRow = Schema.Struct({ exchanges: Schema.Array(WebhookExchange) })
const CountRow = Schema.Struct({ count: Schema.Int })

type ReplayMethods = Pick<
  Webhooks["Service"],
  "test" | "deliveries" | "delivery" | "exchanges" | "replay" | "replaySince" | "retryFailed"
>

const isSubject = "t.customer_id = e.customer_id and t.id = e.subject"

const COLUMNS = `d.event_id as "eventId", e.type as "eventType", e.subject, e.sequence, d.status, d.tries,
  case split_part(e.type, '.', 1)
    when 'verification' then (select t.phone from verifications t where ${isSubject})
    when 'message' then (select t.phone from messages t where ${isSubject}) end as phone,
  d.created_at as "createdAt", d.next_try_at as "nextTryAt", d.finished_at as "finishedAt",
  d.replay_id as "replayId"`

const disabled = new Conflict({ problem: problem("webhook_disabled") })
const unwanted = new Conflict({ problem: problem("webhook_not_subscribed") })

export const webhookReplays = (
  sql: SqlClient.SqlClient,
  random: SecureRandom.SecureRandom["Service"]
): ReplayMethods => {
  const takes = sql.literal(TAKES)
  const columns = sql.literal(COLUMNS)
  const deliveryRows = rowsOf(DeliveryRow)
  const stateRows = rowsOf(StateRow)
  const replayRows = rowsOf(ReplayRow)
  const countRows = rowsOf(CountRow)
  const retryRows = rowsOf(RetryRow)
  const exchangesRows = rowsOf(ExchangesRow)

  const requireEndpoint = Effect.fnUntraced(function* (
    customerId: number,
    id: number,
    lock: Statement.Fragment = sql``
  ) {
    const [row] = yield* stateRows(sql`
      select disabled_at is not null as "isDisabled" from webhook_endpoints
      where customer_id = ${customerId} and id = ${id} ${lock}`)
    return row ?? (yield* new NotFound())
  })

  /**
   * Nobody removes the endpoint before the transaction ends. The lock leaves updates alone: a recorded try locks the
   * delivery first, and then updates the endpoint.
   */
  const requireActive = Effect.fnUntraced(function* (customerId: number, id: number) {
    const { isDisabled } = yield* requireEndpoint(customerId, id, sql`for key share`)
    if (isDisabled) return yield* disabled
  })

  /**
   * Starts the delivery of events `e` (customer_id, id, nth) to an endpoint, or restarts it if it was over. It is listed
   * where those of now are, by an id with the time, `nth`, and the end of the event's id.
   */
  const deliveryOf = (
    customerId: number,
    endpointId: number,
    events: Statement.Fragment,
    now: Instant
  ) => sql`delivery as (
    insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at, next_try_at, replay_id)
    select e.customer_id, ${endpointId}::int, e.id, 'pending', ${timestamp(now)}::timestamptz,
      ${timestamp(now)}::timestamptz,
      (${idHead(now)}::text || lpad(to_hex(e.nth), 3, '0') || right(replace(e.id::text, '-', ''), 16))::uuid
    from ${events} e
    on conflict (customer_id, endpoint_id, event_id) do update set status = 'pending', started_at = null,
      next_try_at = excluded.next_try_at, finished_at = null, replay_id = excluded.replay_id
    returning endpoint_id, event_id)
    ${webhookTimers(sql, customerId, now)}`

  const findDelivery = Effect.fnUntraced(function* (customerId: number, id: number, eventId: string) {
    const [row] = yield* deliveryRows(sql`
      select ${columns} from webhook_deliveries d
      join events e on e.customer_id = d.customer_id and e.id = d.event_id
      where d.customer_id = ${customerId} and d.endpoint_id = ${id} and d.event_id = ${eventId}::uuid`)
    return row === undefined ? yield* new NotFound() : toDeliveryRecord(row)
  })

  return {
    test: Effect.fnUntraced(function* (customerId, id) {
      yield* requireActive(customerId, id)
      const eventId = yield* random.uuidV7()
      const now = yield* Clock.currentTimeMillis
      yield* Effect.orDie(sql`
        with event as (
          insert into events (customer_id, id, type, subject, sequence, data, occurred_at, mode)
          select w.customer_id, ${eventId}::uuid, ${TEST_EVENT}, ${eventId}::uuid, 1, '{}', ${timestamp(now)}, w.mode
          from webhook_endpoints w where w.customer_id = ${customerId} and w.id = ${id}
          returning customer_id, id, null::bigint as nth),
        ${deliveryOf(customerId, id, sql`event`, now)}
        select count(*) from webhook`)
      return yield* Effect.catchTag(findDelivery(customerId, id, eventId), "not_found", () =>
        Effect.die("a test event is not there")
      )
    }),

    deliveries: Effect.fnUntraced(function* (customerId, id, page) {
      yield* requireEndpoint(customerId, id)
      const { limit, after, status, eventType, since } = page
      const before = after !== null && isUuid(after.toLowerCase()) ? after : null
      /** Those that were replayed, or the others, each in the order of its index. */
      const part = (position: Statement.Fragment, which: Statement.Fragment) => sql`(
        select ${columns} from webhook_deliveries d
        join events e on e.customer_id = d.customer_id and e.id = d.event_id
        where ${sql.and([
          sql`d.customer_id = ${customerId} and d.endpoint_id = ${id} and ${which}`,
          ...(before === null ? [] : [sql`${position} < ${before}::uuid`]),
          ...(status === undefined ? [] : [sql`d.status = ${status}`]),
          ...(eventType === undefined ? [] : [sql`e.type = ${eventType}`]),
          ...(since === undefined ? [] : [sql`e.occurred_at >= ${timestamp(since)}`])
        ])}
        order by ${position} desc limit ${limit + 1})`
      const rows = yield* deliveryRows(sql`
        select * from (
          ${part(sql`d.event_id`, sql`d.replay_id is null`)}
          union all ${part(sql`d.replay_id`, sql`d.replay_id is not null`)}) listed
        order by coalesce("replayId", "eventId") desc limit ${limit + 1}`)
      const { items, next } = toPage(rows, limit, positionOf)
      return { items: items.map(toDeliveryRecord), next }
    }),

    delivery: Effect.fnUntraced(function* (customerId, id, eventId) {
      if (!isUuid(eventId.toLowerCase())) return yield* new NotFound()
      return yield* findDelivery(customerId, id, eventId)
    }),

    exchanges: Effect.fnUntraced(function* (customerId, id, eventId) {
      if (!isUuid(eventId.toLowerCase())) return []
      const [row] = yield* exchangesRows(sql`
        select exchanges from webhook_deliveries
        where customer_id = ${customerId} and endpoint_id = ${id} and event_id = ${eventId}::uuid`)
      return row?.exchanges ?? []
    }),

    retryFailed: Effect.fnUntraced(function* (customerId, id) {
      yield* requireActive(customerId, id)
      const now = yield* Clock.currentTimeMillis
      const from = idAt(replayedFrom(0, now))
      const [row] = yield* retryRows(sql`
        with wanted as (
          select e.customer_id, e.id, row_number() over (order by e.id) as nth
          from webhook_deliveries d
          join events e on e.customer_id = d.customer_id and e.id = d.event_id
          join webhook_endpoints w on w.customer_id = d.customer_id and w.id = d.endpoint_id
          where d.customer_id = ${customerId} and d.endpoint_id = ${id} and d.event_id >= ${from}::uuid
            and (d.status = 'failed'
              or d.status = 'pending' and d.tries <> '[]' and d.next_try_at > ${timestamp(now)}::timestamptz)
            and (e.type = ${TEST_EVENT} or ${takes})
          order by e.id limit ${MAX_REPLAYED + 1}),
        event as (select customer_id, id, nth from wanted where nth <= ${MAX_REPLAYED}),
        ${deliveryOf(customerId, id, sql`event`, now)}
        select (select count(*)::int from delivery) as retried,
          exists (select from wanted where nth > ${MAX_REPLAYED}) as "hasMore"`)
      return row ?? (yield* Effect.die("a retry returned no row"))
    }),

    replay: Effect.fnUntraced(function* (customerId, id, eventId) {
      yield* requireActive(customerId, id)
      if (!isUuid(eventId.toLowerCase())) return yield* new NotFound()
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* countRows(sql`
        with event as (
          select e.customer_id, e.id, 1::bigint as nth from webhook_deliveries d
          join events e on e.customer_id = d.customer_id and e.id = d.event_id
          join webhook_endpoints w on w.customer_id = d.customer_id and w.id = d.endpoint_id
          where d.customer_id = ${customerId} and d.endpoint_id = ${id} and d.event_id = ${eventId}::uuid
            and (e.type = ${TEST_EVENT} or ${takes})),
        ${deliveryOf(customerId, id, sql`event`, now)}
        select count(*)::int as count from delivery`)
      const delivery = yield* findDelivery(customerId, id, eventId)
      return row?.count === 1 ? delivery : yield* unwanted
    }),

    replaySince: Effect.fnUntraced(function* (customerId, id, since) {
      yield* requireActive(customerId, id)
      const now = yield* Clock.currentTimeMillis
      // An event's id is created as it is written, so it shows the time; never a time before the event.
      const from = idAt(replayedFrom(since, now))
      const [row] = yield* replayRows(sql`
        with wanted as (
          select e.customer_id, e.id, row_number() over (order by e.id) as nth
          from webhook_endpoints w join events e on e.customer_id = w.customer_id and e.mode = w.mode
          where w.customer_id = ${customerId} and w.id = ${id} and e.id >= ${from}::uuid
            and e.type <> ${TEST_EVENT} and ${takes}
          order by e.id limit ${MAX_REPLAYED + 1}),
        event as (select customer_id, id, nth from wanted where nth <= ${MAX_REPLAYED}),
        ${deliveryOf(customerId, id, sql`event`, now)}
        select (select count(*)::int from delivery) as replayed,
          (select id from wanted where nth = ${MAX_REPLAYED + 1}) as "nextId"`)
      if (row === undefined) return yield* Effect.die("a replay returned no row")
      return { replayed: row.replayed, nextSince: row.nextId === null ? null : instantOf(row.nextId) }
    })
  }
}
