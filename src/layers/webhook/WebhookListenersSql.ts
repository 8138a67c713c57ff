import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Conflict } from "../../domain/Errors.ts"
import { problem } from "../../domain/Problem.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import { webhookPayload } from "../../http/manage/WebhookPayload.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { EVENT_SUBJECT, EventSubjectColumn, toSubject } from "./WebhookEventSql.ts"
import { ListenerStore, MAX_LISTENERS } from "../../services/webhook/WebhookListeners.ts"

const EventRow = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  mode: KeyMode,
  sequence: Schema.Int,
  occurredAt: InstantColumn,
  /** Null if the event's record was deleted. */
  subject: Schema.NullOr(EventSubjectColumn)
})
const LookedRow = Schema.Struct({ lookedTo: Schema.NullOr(Schema.String) })
const IdsRow = Schema.Struct({ ids: Schema.Array(Schema.String) })
const TakenRow = Schema.Struct({ taken: Schema.Boolean, isFull: Schema.Boolean })
const HeldRow = Schema.Struct({ slot: Schema.Int })

/** Some seconds of the busiest customer: 30 s at 1600 events/s. */
const MAX_IDS = 50_000

const tooMany = new Conflict({ problem: problem("too_many_listeners", { maximum: MAX_LISTENERS }) })

const toEvents = (rows: ReadonlyArray<typeof EventRow.Type>) =>
  rows.flatMap(({ id, subject, ...row }) =>
    subject === null ? [] : [{ id, body: webhookPayload({ ...row, subject: toSubject(subject) }) }]
  )

/** The leases of listeners. */
const listenerLeases = (
  sql: SqlClient.SqlClient
): Pick<ListenerStore["Service"], "take" | "takeOver" | "renew" | "release"> => {
  const takenRows = rowsOf(TakenRow)
  const heldRows = rowsOf(HeldRow)
  const take: ListenerStore["Service"]["take"] = (lease, now, until) =>
    Effect.gen(function* () {
      const { customerId, id, token, mode, credential } = lease
      const at = timestamp(now)
      const [row] = yield* takenRows(sql`
        with free as (
          select s as slot from generate_series(1, ${MAX_LISTENERS}::int) s
          where not exists (select from webhook_listeners l
            where l.customer_id = ${customerId} and l.slot = s and l.expires_at > ${at}::timestamptz)
          order by s limit 1),
        held as (
          insert into webhook_listeners as l (customer_id, slot, id, token, mode, credential, expires_at)
          select ${customerId}, slot, ${id}::uuid, ${token}::uuid, ${mode}, ${credential}, ${timestamp(until)} from free
          on conflict (customer_id, slot) do update set id = excluded.id, token = excluded.token,
            mode = excluded.mode, credential = excluded.credential, expires_at = excluded.expires_at
          where l.expires_at <= ${at}::timestamptz
          returning true)
        select exists (select from held) as taken, not exists (select from free) as "isFull"`)
      if (row === undefined || row.isFull) return yield* tooMany
      // Another one was faster: the next free place.
      if (!row.taken) return yield* take(lease, now, until)
    })
  return {
    take,

    takeOver: ({ customerId, id, token, mode, credential }, until) =>
      Effect.map(
        heldRows(sql`
          update webhook_listeners set token = ${token}::uuid, expires_at = ${timestamp(until)}
          where customer_id = ${customerId} and id = ${id}::uuid and credential = ${credential} and mode = ${mode}
          returning slot`),
        ({ length }) => length > 0
      ),

    renew: ({ customerId, id, token }, until) =>
      Effect.map(
        heldRows(sql`
          update webhook_listeners set expires_at = ${timestamp(until)}
          where customer_id = ${customerId} and id = ${id}::uuid and token = ${token}::uuid returning slot`),
        ({ length }) => length > 0
      ),

    release: ({ customerId, id, token }, now) =>
      Effect.orDie(
        Effect.asVoid(sql`
          update webhook_listeners set expires_at = ${timestamp(now)}
          where customer_id = ${customerId} and id = ${id}::uuid and token = ${token}::uuid`)
      )
  }
}

/** Reads a customer's events: those that an endpoint with `*` gets. */
const listenedEvents = (
  sql: SqlClient.SqlClient
): Pick<ListenerStore["Service"], "read" | "ids" | "byIds"> => {
  const eventRows = rowsOf(EventRow)
  const lookedRows = rowsOf(LookedRow)
  const idsRows = rowsOf(IdsRow)
  const columns = sql.literal(`e.id, e.type, e.mode, e.sequence, e.occurred_at as "occurredAt",
    ${EVENT_SUBJECT} as subject`)
  // A test event is for one endpoint, and an alert for those that name it.
  const isListened = sql`split_part(e.type, '.', 1) not in ('webhook', 'alert')`
  // Only test events need an endpoint.
  const noEndpoint = sql`(select 0::int as id) w`

  const byIds = (customerId: number, ids: ReadonlyArray<string>) =>
    Effect.map(
      eventRows(sql`
        select ${columns} from events e cross join ${noEndpoint}
        where e.customer_id = ${customerId} and e.id = any(${ids}::uuid[]) order by e.id`),
      toEvents
    )

  return {
    byIds,

    // Two statements, so that events of the other mode are passed by their ids.
    read: Effect.fnUntraced(function* (customerId, { mode, after, limit }) {
      const [looked] = yield* lookedRows(sql`
        select (select max(id::text) from (
          select id from events where customer_id = ${customerId} and id > ${after}::uuid order by id limit ${limit}
        ) part) as "lookedTo"`)
      const lookedTo = looked?.lookedTo ?? null
      if (lookedTo === null) return { events: [], lookedTo }
      const rows = yield* eventRows(sql`
        select ${columns} from events e cross join ${noEndpoint}
        where e.customer_id = ${customerId} and e.id > ${after}::uuid and e.id <= ${lookedTo}::uuid
          and e.mode = ${mode} and ${isListened}
        order by e.id`)
      return { events: toEvents(rows), lookedTo }
    }),

    ids: Effect.fnUntraced(function* (customerId, { mode, after, to }) {
      const [row] = yield* idsRows(sql`
        select array(select e.id::text from events e
          where e.customer_id = ${customerId} and e.id > ${after}::uuid and e.id <= ${to}::uuid
            and e.mode = ${mode} and ${isListened}
          order by e.id desc limit ${MAX_IDS}::int) as ids`)
      return row?.ids ?? []
    })
  }
}

export const ListenerStoreSql = Layer.effect(
  ListenerStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    ListenerStore.of({ ...listenerLeases(sql), ...listenedEvents(sql) })
  )
)
