import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { KeyMode } from "../domain/Customer.ts"
import { type EventType, Verification, VerificationStatus } from "../domain/Verification.ts"
import { mayStillSend } from "../domain/VerificationMachine.ts"
import type { LeasedTimer, TimerKind } from "../services/Timers.ts"
import { VerificationStore } from "../services/VerificationStore.ts"
import { InstantColumn, rowsOf, timestamp } from "./SqlRows.ts"

const SEND_OPERATION = "otp.send"

const VerificationRow = Schema.Struct({
  ...Verification.fields,
  nextStepAt: Schema.NullOr(InstantColumn),
  createdAt: InstantColumn,
  expiresAt: InstantColumn,
  verifiedAt: Schema.NullOr(InstantColumn)
})
const StoredRow = Schema.Struct({ ...VerificationRow.fields, sealedCode: Schema.NullOr(Schema.Uint8Array) })
const ClaimedRow = Schema.Struct({ ...VerificationRow.fields, fingerprint: Schema.Uint8Array })
const ComparisonRow = Schema.Struct({ matched: Schema.Boolean, status: VerificationStatus })
const CountRow = Schema.Struct({ count: Schema.Int })

export interface VerificationStoreOptions {
  readonly mode: KeyMode
  readonly timerKind: TimerKind
  /** Whether state changes are written to the outbox. */
  readonly announces: boolean
}

/** One mode's verifications: those of the other mode do not exist here. */
export const VerificationStoreSql = ({ mode, timerKind, announces }: VerificationStoreOptions) =>
  Layer.effect(
    VerificationStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const verificationRows = rowsOf(VerificationRow)
      const storedRows = rowsOf(StoredRow)
      const claimedRows = rowsOf(ClaimedRow)
      const comparisonRows = rowsOf(ComparisonRow)
      const countRows = rowsOf(CountRow)

      const columns =
        sql.literal(`v.id, v.customer_id as "customerId", v.phone, v.status, v.revision, v.route,
        v.text_body as "textBody", v.attempts, v.next_step as "nextStep", v.next_step_at as "nextStepAt",
        v.created_at as "createdAt", v.expires_at as "expiresAt", v.verified_at as "verifiedAt"`)

      /** What an event remembers of its verification: what can change; the rest is joined when it is delivered. */
      const snapshot = sql.literal(`jsonb_build_object('status', c.status, 'attempts', c.attempts,
        'next_step_at', c.next_step_at, 'verified_at', c.verified_at)`)

      const first = <A>(rows: Effect.Effect<ReadonlyArray<A>>) =>
        Effect.map(rows, ([row]) => Option.fromUndefinedOr(row))

      const eventIds = (events: ReadonlyArray<EventType>) =>
        announces ? Effect.forEach(events, () => random.uuidV7()) : Effect.succeed([])

      const writeEvents = (ids: ReadonlyArray<string>, types: ReadonlyArray<EventType>, now: number) =>
        ids.length === 0
          ? sql``
          : sql`, event as (
              insert into events (customer_id, id, type, subject, sequence, data, occurred_at)
              select c.customer_id, e.id, e.type, c.id, c.events_written - ${ids.length} + e.nth, ${snapshot},
                ${timestamp(now)}
              from changed c, unnest(${ids}::uuid[], ${types}::text[]) with ordinality as e (id, type, nth))`

      const removeTimer = sql`delete from timers t using changed c
        where t.customer_id = c.customer_id and t.kind = ${timerKind} and t.subject = c.id`

      const writeTimer = (dueAt: number | null) =>
        dueAt === null
          ? removeTimer
          : sql`update timers t
              set claimable_at = ${timestamp(dueAt)}, lease_token = null
              from changed c where t.customer_id = c.customer_id and t.kind = ${timerKind} and t.subject = c.id`

      return VerificationStore.of({
        accept: ({ verification: v, codeHash, sealedCode, lease, idempotency }) => {
          const claim =
            idempotency === null
              ? sql`select true`
              : sql`insert into idempotency_keys as k
                  (customer_id, operation, key, fingerprint, subject, expires_at)
                  values (${v.customerId}, ${SEND_OPERATION}, ${idempotency.key}, ${idempotency.fingerprint},
                    ${v.id}::uuid, ${timestamp(idempotency.expiresAt)})
                  on conflict (customer_id, operation, key) do update set fingerprint = excluded.fingerprint,
                    subject = excluded.subject, expires_at = excluded.expires_at
                  where k.expires_at <= ${timestamp(v.createdAt)}
                  returning true`
          const statement = sql`
            with claimed as (${claim}),
            verification as (
              insert into verifications (customer_id, id, mode, phone, status, revision, route, text_body, attempts,
                next_step, next_step_at, code_hash, sealed_code, created_at, expires_at)
              select ${v.customerId}::int, ${v.id}::uuid, ${mode}, ${v.phone}, ${v.status}, ${v.revision}::int,
                ${JSON.stringify(v.route)}::jsonb, ${v.textBody}::text, '[]'::jsonb, ${v.nextStep}::int,
                ${timestamp(v.createdAt)}::timestamptz, ${codeHash}::bytea, ${sealedCode}::bytea,
                ${timestamp(v.createdAt)}::timestamptz, ${timestamp(v.expiresAt)}::timestamptz
              from claimed),
            timer as (
              insert into timers (customer_id, kind, subject, claimable_at, lease_token)
              select ${v.customerId}::int, ${timerKind}, ${v.id}::uuid, ${timestamp(lease.until)}::timestamptz,
                ${lease.token}::uuid
              from claimed)
            select count(*)::int as count from claimed`
          const timer: LeasedTimer = {
            kind: timerKind,
            customerId: v.customerId,
            subject: v.id,
            leaseToken: lease.token
          }
          return Effect.map(countRows(statement), ([row]) =>
            row?.count === 1 ? Option.some(timer) : Option.none()
          )
        },

        findClaimedKey: (customerId, key, now) =>
          first(
            claimedRows(sql`
              select ${columns}, k.fingerprint from idempotency_keys k
              join verifications v on v.customer_id = k.customer_id and v.id = k.subject
              where k.customer_id = ${customerId} and k.operation = ${SEND_OPERATION} and k.key = ${key}
                and k.expires_at > ${timestamp(now)}`)
          ).pipe(
            Effect.map(Option.map(({ fingerprint, ...verification }) => ({ fingerprint, verification })))
          ),

        load: (customerId, id) =>
          first(
            verificationRows(sql`
              select ${columns} from verifications v
              where v.customer_id = ${customerId} and v.id = ${id}::uuid and v.mode = ${mode}`)
          ),

        loadLeased: ({ customerId, subject, leaseToken }) =>
          first(
            storedRows(sql`
              select ${columns}, v.sealed_code as "sealedCode" from timers t
              join verifications v on v.customer_id = t.customer_id and v.id = t.subject and v.mode = ${mode}
              where t.customer_id = ${customerId} and t.kind = ${timerKind} and t.subject = ${subject}::uuid
                and t.lease_token = ${leaseToken}::uuid`)
          ).pipe(Effect.map(Option.map(({ sealedCode, ...verification }) => ({ sealedCode, verification })))),

        commit: Effect.fnUntraced(function* (revision, { verification: v, events, dueAt }, now) {
          const ids = yield* eventIds(events)
          const [row] = yield* countRows(sql`
            with changed as (
              update verifications set status = ${v.status}, revision = ${v.revision},
                attempts = ${JSON.stringify(v.attempts)}::jsonb, next_step = ${v.nextStep},
                next_step_at = ${v.nextStepAt === null ? null : timestamp(v.nextStepAt)}::timestamptz,
                sealed_code = case when ${mayStillSend(v)} then sealed_code end,
                events_written = events_written + ${ids.length}
              where customer_id = ${v.customerId} and id = ${v.id}::uuid and mode = ${mode} and revision = ${revision}
              returning *),
            timer as (${writeTimer(dueAt)})
            ${writeEvents(ids, events, now)}
            select count(*)::int as count from changed`)
          return row?.count === 1
        }),

        compareCode: Effect.fnUntraced(function* ({ customerId, id, codeHash, maxWrongCodes, now }) {
          const announcement = announces
            ? sql`, event as (
                insert into events (customer_id, id, type, subject, sequence, data, occurred_at)
                select c.customer_id, ${yield* random.uuidV7()}::uuid, 'verification.' || c.status, c.id, c.events_written,
                  ${snapshot}, ${timestamp(now)}
                from changed c where c.status in ('verified', 'locked'))`
            : sql``
          return yield* first(
            comparisonRows(sql`
              with target as (
                select customer_id, id, code_hash = ${codeHash} as matched,
                  code_hash <> ${codeHash} and coalesce(wrong_codes + 1 >= ${maxWrongCodes}::int, false) as locks
                from verifications
                where customer_id = ${customerId} and id = ${id}::uuid and mode = ${mode}
                  and status in ('pending', 'queued') and expires_at > ${timestamp(now)}
                for update),
              changed as (
                update verifications v set
                  status = case when t.matched then 'verified' when t.locks then 'locked' else v.status end,
                  verified_at = case when t.matched then ${timestamp(now)}::timestamptz end,
                  wrong_codes = v.wrong_codes + (not t.matched)::int,
                  revision = v.revision + (t.matched or t.locks)::int,
                  next_step_at = case when t.matched or t.locks then null else v.next_step_at end,
                  sealed_code = case when t.matched or t.locks then null else v.sealed_code end,
                  events_written = v.events_written + (t.matched or t.locks)::int
                from target t where v.customer_id = t.customer_id and v.id = t.id
                returning v.*, t.matched),
              timer as (${removeTimer} and c.status in ('verified', 'locked'))
              ${announcement}
              select matched, status from changed`)
          )
        })
      })
    })
  )
