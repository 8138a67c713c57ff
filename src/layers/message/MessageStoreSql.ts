import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { walletMove } from "../../domain/money/Charging.ts"
import type { KeyMode } from "../../domain/people/Customer.ts"
import { Message } from "../../domain/message/Message.ts"
import { MessageStore } from "../../services/message/MessageStore.ts"
import { Timers } from "../../services/timer/Timers.ts"
import { type AdmissionRequest, admissionSql, runAdmission } from "../verification/AdmissionSql.ts"
import { idempotencyKeys } from "../customer/IdempotencySql.ts"
import { outbox } from "../webhook/OutboxSql.ts"
import {
  first,
  InstantColumn,
  nullableTimestamp,
  RialsColumn,
  rowsOf,
  timestamp
} from "../postgres/SqlRows.ts"
import { currentSetUp, setUpColumns, SetUpFields, SetUpVersions } from "../postgres/cache/SetUpVersions.ts"
import { subjectTimers } from "../timer/SubjectTimersSql.ts"
import { moveParts } from "../customer/WalletSql.ts"

const OPERATIONS = { live: "messages.send", test: "sandbox.messages.send" }
export const TIMER_KINDS = { live: "message", test: "sandbox_message" } as const

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
export const MESSAGE_SNAPSHOT =
  "jsonb_build_object('status', c.status, 'attempts', c.attempts, 'completed_at', c.completed_at)"

/** Columns of `messages m`. */
export const messageColumns = `m.id, m.customer_id as "customerId", m.phone, m.status, m.revision, m.strategy, m.route,
  m.text, m.template, m.metadata, m.attempts, m.reservations,
  m.patient_until as "patientUntil",
  m.scheduled_for as "scheduledFor", m.created_at as "createdAt", m.completed_at as "completedAt",
  m.held, m.captured`
const ClaimedRow = Schema.Struct({ ...MessageRow.fields, fingerprint: Schema.Uint8Array })
const LeasedRow = Schema.Struct({ ...MessageRow.fields, ...SetUpFields })
const PlaceRow = Schema.Struct({ isCurrent: Schema.Boolean, id: Schema.NullOr(Schema.String) })
const CountRow = Schema.Struct({ count: Schema.Int, webhooks: Schema.Int })

const webhooksOf = Schema.decodeUnknownOption(Schema.Struct({ webhooks: Schema.Int }))

/** One mode's messages: those of the other mode do not exist here. */
export const MessageStoreSql = (mode: KeyMode) =>
  Layer.effect(
    MessageStore,
    Effect.gen(function* () {
      const timerKind = TIMER_KINDS[mode]
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const timerLoop = yield* Timers
      const versions = yield* SetUpVersions
      const messageRows = rowsOf(MessageRow)
      const leasedRows = rowsOf(LeasedRow)
      const placeRows = rowsOf(PlaceRow)
      const claimedRows = rowsOf(ClaimedRow)
      const countRows = rowsOf(CountRow)

      const columns = sql.literal(messageColumns)

      const snapshot = sql.literal(MESSAGE_SNAPSHOT)

      const keys = idempotencyKeys(sql, OPERATIONS[mode])
      const timers = subjectTimers(sql, timerKind)
      const movesOf = moveParts(sql, random)
      const events = outbox(sql, random, { mode, snapshot })
      /** Webhooks are due at once. */
      const wakeFor = (webhooks: number) => {
        if (webhooks > 0) timerLoop.wakeAt(0)
      }

      return MessageStore.of({
        timerKind,

        accept: Effect.fnUntraced(function* ({
          message: m,
          setUpVersion,
          admission,
          lanes,
          lease,
          idempotency
        }) {
          const { id, customerId, phone, createdAt: now } = m
          const request: AdmissionRequest = {
            kind: "message",
            id,
            customerId,
            phone,
            now,
            admission,
            setUpVersion
          }
          const { verdict, counts, columns: verdictColumns } = admissionSql(sql, request)
          const claimableAt = timestamp(lease?.until ?? m.scheduledFor ?? m.createdAt)
          const template = m.template === null ? null : JSON.stringify(m.template)
          const { parts, webhooks } = yield* events.write(customerId, ["message.queued"], now)
          const statement = sql`
          with ${verdict}, claimed as (${keys.claim(m, idempotency)}),
          changed as (
            insert into messages (customer_id, id, phone, status, revision, strategy, route, text, template, metadata,
              attempts, scheduled_for, events_written, created_at, held, mode)
            select ${m.customerId}::int, ${m.id}::uuid, ${m.phone}, ${m.status}, ${m.revision}::int, ${m.strategy},
              ${JSON.stringify(m.route)}::jsonb, ${m.text}, ${template}::json, ${m.metadata}, '[]'::jsonb,
              ${nullableTimestamp(m.scheduledFor)}::timestamptz, 1, ${timestamp(m.createdAt)}::timestamptz,
              ${m.held}::bigint, ${mode}
            from claimed
            returning *),
          timer as (
            insert into timers (customer_id, kind, subject, lane, claimable_at, lease_token)
            select c.customer_id, ${timerKind}, c.id, lane, ${claimableAt}::timestamptz, ${lease?.token ?? null}::uuid
            from changed c, unnest(${lanes}::int[]) as lane)
          ${parts}
          ${counts}
          select ${verdictColumns}, ${webhooks} as webhooks from verdict v`
          let due = 0
          const accepting = Effect.tap(statement, ([row]) =>
            Effect.sync(() => (due = Option.getOrElse(webhooksOf(row), () => ({ webhooks: 0 })).webhooks))
          )
          const accepted = yield* runAdmission(sql, request, accepting).pipe(
            Effect.catchTag("SetUpChanged", () => versions.changed(customerId, setUpVersion))
          )
          wakeFor(due)
          return accepted
        }),

        findClaimedKey: (customerId, key, now) =>
          first(
            claimedRows(sql`
            select ${columns}, k.fingerprint from idempotency_keys k
            join messages m on m.customer_id = k.customer_id and m.id = k.subject
            where ${keys.isClaimed(customerId, key, now)}`)
          ).pipe(Effect.map(Option.map(({ fingerprint, ...subject }) => ({ fingerprint, subject })))),

        load: (customerId, id) =>
          first(
            messageRows(sql`
            select ${columns} from messages m
            where m.customer_id = ${customerId} and m.id = ${id}::uuid and m.mode = ${mode}`)
          ),

        read: Effect.fnUntraced(function* ({ customerId, id, setUpVersion }) {
          const rows = yield* Effect.orDie(sql`
          select ${sql.literal(currentSetUp.condition)} as "isCurrent", ${columns}
          from (select ${customerId}::int as customer_id, ${id}::uuid as id, ${setUpVersion}::int as set_up) r
          ${sql.literal(currentSetUp.join)}
          left join messages m on m.customer_id = r.customer_id and m.id = r.id and m.mode = ${mode}`)
          const [place] = yield* placeRows(Effect.succeed(rows))
          if (place?.isCurrent === false) return yield* versions.changed(customerId, setUpVersion)
          return yield* first(messageRows(Effect.succeed(place?.id == null ? [] : rows)))
        }),

        loadLeased: (timer) =>
          first(
            leasedRows(sql`
            select ${columns}, ${sql.literal(setUpColumns("m.customer_id"))} from messages m
            where m.customer_id = ${timer.customerId} and m.id = ${timer.subject}::uuid and ${timers.isHeld(timer)}`)
          ).pipe(
            Effect.map(
              Option.map(({ setUpVersion, platformVersion, ...message }) => {
                versions.note(message.customerId, { setUpVersion, platformVersion })
                return message
              })
            )
          ),

        commit: Effect.fnUntraced(function* (timer, before, { next: m, events: made, dueAt, report }, now) {
          const { parts, webhooks } = yield* events.write(m.customerId, made, now)
          const [row] = yield* countRows(sql`
          with changed as (
            update messages set status = ${m.status}, revision = ${m.revision},
              attempts = ${JSON.stringify(m.attempts)}::jsonb,
              reservations = ${JSON.stringify(m.reservations)}::jsonb,
              patient_until = ${nullableTimestamp(m.patientUntil)}::timestamptz,
              completed_at = ${nullableTimestamp(m.completedAt)}::timestamptz,
              held = ${m.held}::bigint, captured = ${m.captured}::bigint,
              events_written = events_written + ${made.length}
            where customer_id = ${m.customerId} and id = ${m.id}::uuid and revision = ${before.revision}
              and ${dueAt === "held" && timer !== null ? timers.isHeld(timer) : sql`true`}
            returning *),
          timer as (${m.status === "canceled" ? timers.removeAll : timers.write(dueAt, timer?.lane)})
          ${timers.ask(report)}
          ${parts}
          ${yield* movesOf(m.id, walletMove(before, m), now)}
          select count(*)::int as count, ${webhooks} as webhooks from changed`)
          wakeFor(row?.webhooks ?? 0)
          return row?.count === 1
        })
      })
    })
  )
