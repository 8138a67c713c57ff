import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { Lease } from "../../domain/Timer.ts"
import { Message, sendTime } from "../../domain/message/Message.ts"
import { type Lane, lanes, laneState } from "../../domain/message/MessageLanes.ts"
import { walletMove } from "../../domain/money/Charging.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import type { MessageRoute } from "../../domain/routing/MessageRoute.ts"
import { idempotencyKeys } from "../customer/IdempotencySql.ts"
import { MessageBatchSql } from "../postgres/Pools.ts"
import {
  type BatchColumn,
  batchId,
  first,
  InstantColumn,
  intArrayText,
  jsonText,
  nullableTimestamp,
  RialsColumn,
  rowsOf
} from "../postgres/SqlRows.ts"
import type { AcceptApart } from "../postgres/batching/AcceptApartSql.ts"
import { intArrayIn } from "../postgres/batching/RowStatements.ts"
import type { CommitEntry, CommitKind, Committed } from "../postgres/batching/CommitParts.ts"
import { type AcceptKind, ADMITTED, makeAccept } from "../postgres/batching/AcceptBatchSql.ts"
import { type BatchClients, type BatchName, writingClients } from "../postgres/batching/StatementBatch.ts"
import { makeCommitBatch, makeCommitSingle, outboxParts } from "../postgres/batching/CommitBatchSql.ts"
import { type LoadKind, makeLoadBatch, makeLoadLeasedBatch } from "../postgres/batching/LoadBatchSql.ts"
import { SetUpVersions } from "../postgres/SetUpCache.ts"
import { SubjectIds } from "../../services/Subjects.ts"
import { type MessageAcceptance, MessageStore } from "../../services/message/MessageStore.ts"
import { Timers } from "../../services/timer/Timers.ts"

const OPERATIONS = { live: "messages.send", test: "sandbox.messages.send" }
const TIMER_KINDS = { live: "message", test: "sandbox_message" } as const

export const MessageRow = Schema.Struct({
  ...Message.fields,
  patientUntil: Schema.NullOr(InstantColumn),
  scheduledFor: Schema.NullOr(InstantColumn),
  createdAt: InstantColumn,
  completedAt: Schema.NullOr(InstantColumn),
  held: RialsColumn,
  captured: RialsColumn
})

/** The changing part of a message `c` that an event stores. */
const MESSAGE_SNAPSHOT =
  "jsonb_build_object('status', c.status, 'attempts', c.attempts, 'completed_at', c.completed_at)"

const messageSnapshot = ({ status, attempts, completedAt }: Message) => ({
  status,
  attempts,
  completed_at: nullableTimestamp(completedAt)
})

/** Columns of `messages m`. */
export const messageColumns = `m.id, m.customer_id as "customerId", m.phone, m.status, m.revision, m.strategy, m.route,
  m.text, m.template, m.metadata, m.attempts, m.reservations,
  m.patient_until as "patientUntil",
  m.scheduled_for as "scheduledFor", m.created_at as "createdAt", m.completed_at as "completedAt",
  m.held, m.captured`

/** One mode's messages, as batches read them. */
const loadedMessages = (mode: KeyMode, name: BatchName): LoadKind<typeof MessageRow> => ({
  name,
  mode,
  table: "messages",
  alias: "m",
  columns: messageColumns,
  row: MessageRow
})

/** A new message with the id of its first event. */
interface NewMessage {
  readonly message: Message
  readonly eventId: string
  /** Absent: free for any process when it is due. */
  readonly lease?: Lease | null
}

const routeText = jsonText<MessageRoute>()

/** The columns of new messages that `storedMessages` needs, besides `customer_id`, `id`, `phone`, `now` and `hold`. */
const messageInsertColumns: ReadonlyArray<BatchColumn<NewMessage>> = [
  { name: "status", type: "text", of: ({ message }) => message.status },
  { name: "revision", type: "int4", of: ({ message }) => message.revision },
  { name: "strategy", type: "text", of: ({ message }) => message.strategy },
  { name: "route", type: "text", of: ({ message }) => routeText(message.route) },
  { name: "body", type: "text", of: ({ message }) => message.text },
  {
    name: "template",
    type: "text",
    of: ({ message }) => (message.template === null ? null : JSON.stringify(message.template))
  },
  { name: "metadata", type: "text", of: ({ message }) => message.metadata },
  { name: "scheduled_for", type: "timestamptz", of: ({ message }) => message.scheduledFor },
  { name: "lanes", type: "text", of: ({ message }) => intArrayText(lanes(message)) },
  {
    name: "claimable_at",
    type: "timestamptz",
    of: ({ message, lease }) => lease?.until ?? sendTime(message)
  },
  { name: "lease_token", type: "uuid", of: ({ lease }) => lease?.token ?? null },
  { name: "event_id", type: "uuid", of: ({ eventId }) => eventId }
]

/** The parts that store the messages of `rows r`, with their timers, events and deliveries to webhooks. */
const storedMessages = (mode: KeyMode, rows: string) => {
  const outbox = outboxParts(mode, [{ type: "'message.queued'", id: "c.event_id" }], MESSAGE_SNAPSHOT)
  return {
    parts: `
  stored as (
    insert into messages (customer_id, id, phone, status, revision, strategy, route, text, template, metadata,
      attempts, scheduled_for, events_written, created_at, held, mode)
    select r.customer_id, r.id, r.phone, r.status, r.revision, r.strategy, r.route::jsonb, r.body, r.template::json,
      r.metadata, '[]', r.scheduled_for, 1, r.now, r.hold, '${mode}'
    from ${rows}),
  timer as (
    insert into timers (customer_id, kind, subject, lane, claimable_at, lease_token)
    select r.customer_id, '${TIMER_KINDS[mode]}', r.id, lane, r.claimable_at, r.lease_token
    from ${rows}, unnest(r.lanes::int[]) as lane),
  changed as materialized (
    select r.customer_id, r.id, r.status, r.now, r.event_id, '[]'::jsonb as attempts,
      null::timestamptz as completed_at, 1 as events_written, 1 as event_count
    from ${rows})
  ${outbox.parts}`,
    webhooks: outbox.webhooks
  }
}

/** A message with the id of its first event. */
export interface AcceptedMessage extends MessageAcceptance {
  readonly eventId: string
}

const acceptedApart = (mode: KeyMode): AcceptApart<AcceptedMessage> => ({
  mode,
  table: "messages",
  stores: () => [
    (rows) => `
    insert into messages (customer_id, id, phone, status, revision, strategy, route, text, template, metadata,
      attempts, scheduled_for, events_written, created_at, held, mode)
    select r.customer_id, r.id, r.phone, r.status, r.revision, r.strategy, r.route::jsonb, r.body, r.template::json,
      r.metadata, '[]', r.scheduled_for, 1, r.now, r.hold, '${mode}'
    from here h, ${rows}`,
    (rows) => `
    insert into timers (customer_id, kind, subject, lane, claimable_at, lease_token)
    select r.customer_id, '${TIMER_KINDS[mode]}', r.id, lane, r.claimable_at, r.lease_token
    from here h, ${rows}, unnest(${intArrayIn("r.lanes")}) as lane`
  ],
  eventOf: ({ message, eventId }) => ({
    customerId: message.customerId,
    id: eventId,
    type: "message.queued",
    subject: message.id,
    before: 0,
    data: JSON.stringify(messageSnapshot({ ...message, attempts: [], completedAt: null })),
    occurredAt: message.createdAt
  })
})

/** One mode's messages, for the statement that accepts a batch of them. */
export const acceptedMessages = (mode: KeyMode): AcceptKind<MessageAcceptance, AcceptedMessage> => {
  const { parts, webhooks } = storedMessages(mode, `(select * from ${ADMITTED}) r`)
  return {
    operation: OPERATIONS[mode],
    counts: "message",
    subjectOf: ({ message }) => message,
    columns: messageInsertColumns,
    optional: [],
    stores: () => parts,
    webhooks,
    apart: acceptedApart(mode)
  }
}

/** A transition of a message in one of its lanes. */
interface MessageCommit extends CommitEntry<Message> {
  readonly lane: Lane
}

/** The transition ends other lanes too, which have timers. */
const endsOthers = ({ before, lane, transition: { next } }: MessageCommit): boolean =>
  next.completedAt !== null &&
  lanes(before).some((other) => other !== lane && laneState(before, other) === "open")

/** One mode's messages, for the statement that commits a batch of their transitions. */
const committedMessages = (mode: KeyMode): CommitKind<MessageCommit> => ({
  name: "message_record",
  mode,
  timerKind: TIMER_KINDS[mode],
  table: "messages",
  alias: "m",
  columns: [
    { name: "lane", type: "int2", of: ({ lane }) => lane },
    {
      name: "reservations",
      type: "text",
      cast: "jsonb",
      of: ({ transition }) => JSON.stringify(transition.next.reservations)
    },
    { name: "patient_until", type: "timestamptz", of: ({ transition }) => transition.next.patientUntil },
    { name: "completed_at", type: "timestamptz", of: ({ transition }) => transition.next.completedAt }
  ],
  sets: `reservations = r.reservations, patient_until = r.patient_until, completed_at = r.completed_at`,
  lane: "r.lane",
  shown: ["completed_at"],
  snapshot: MESSAGE_SNAPSHOT,
  snapshotOf: messageSnapshot,
  parts: [
    {
      isNeeded: endsOthers,
      columns: [{ name: "ends_others", type: "bool", of: endsOthers }],
      sql: `other_timers as (
        delete from timers t using changed c
        where c.ends_others and t.customer_id = c.customer_id and t.kind = c.timer_kind and t.subject = c.id
          and t.lane <> c.timer_lane)`,
      apart: [
        (rows) => `
        delete from timers t using ${rows}
        where t.customer_id = r.customer_id and t.kind = '${TIMER_KINDS[mode]}' and t.subject = r.id
          and t.lane <> r.lane`
      ]
    }
  ]
})

const ClaimedRow = Schema.Struct({ ...MessageRow.fields, fingerprint: Schema.Uint8Array })

/** One mode's messages: those of the other mode do not exist here. */
export const MessageStoreSql = (mode: KeyMode) =>
  Layer.effect(
    MessageStore,
    Effect.gen(function* () {
      const timerKind = TIMER_KINDS[mode]
      const sql = yield* SqlClient.SqlClient
      const clients: BatchClients = { batched: yield* MessageBatchSql, single: sql, isAlone: true }
      const writing = yield* writingClients(clients)
      const random = yield* SecureRandom.SecureRandom
      const ids = yield* SubjectIds
      const { wakeFor } = yield* Timers
      const versions = yield* SetUpVersions
      const claimedRows = rowsOf(ClaimedRow)
      const columns = sql.literal(messageColumns)
      const keys = idempotencyKeys(sql, OPERATIONS[mode])

      const wakenAfter = (write: Effect.Effect<Committed>) =>
        Effect.map(write, ({ isWritten, webhooks }) => {
          wakeFor(webhooks)
          return isWritten
        })

      const withEvents = (batch: ReadonlyArray<MessageAcceptance>) =>
        Effect.map(random.uuidV7(), (drawn) => {
          ids.turn()
          return batch.map((acceptance, row) => ({ ...acceptance, eventId: batchId(drawn, row, 0) }))
        })

      const commitInBatch = yield* makeCommitBatch(writing, committedMessages(mode), random.uuidV7())
      const commitSingle = yield* makeCommitSingle(sql, committedMessages(mode), random.uuidV7())
      const loading = yield* makeLoadBatch(clients, loadedMessages(mode, "message_read"), versions)

      return MessageStore.of({
        timerKind,

        accept: yield* makeAccept(writing, {
          name: "message_accept",
          kind: acceptedMessages(mode),
          toRows: withEvents,
          wakeFor,
          versions
        }),

        findClaimedKey: (customerId, key, now) =>
          first(
            claimedRows(sql`
            select ${columns}, k.fingerprint from idempotency_keys k
            join messages m on m.customer_id = k.customer_id and m.id = k.subject
            where ${keys.isClaimed(customerId, key, now)}`)
          ).pipe(Effect.map(Option.map(({ fingerprint, ...subject }) => ({ fingerprint, subject })))),

        ...loading,

        loadLeased: yield* makeLoadLeasedBatch(
          clients,
          loadedMessages(mode, "message_read_due"),
          timerKind,
          versions
        ),

        commit: (timer, before, transition, now) => {
          const write = commitInBatch({
            before,
            transition,
            now,
            lane: timer?.lane ?? 0,
            leasedTimer: transition.dueAt === "held" ? timer : null,
            move: walletMove(before, transition.next)
          })
          return wakenAfter(write)
        },

        commitSingle: (before, transition, now) => {
          const move = walletMove(before, transition.next)
          return wakenAfter(commitSingle({ before, transition, now, lane: 0, leasedTimer: null, move }))
        }
      })
    })
  )
