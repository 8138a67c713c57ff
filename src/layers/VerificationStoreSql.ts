import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { stripeOf, walletMove } from "../domain/Charging.ts"
import type { KeyMode } from "../domain/Customer.ts"
import { Verification, VerificationStatus } from "../domain/Verification.ts"
import { mayStillSend } from "../domain/VerificationMachine.ts"
import { type LeasedTimer, type TimerKind, Timers } from "../services/Timers.ts"
import { VerificationStore } from "../services/VerificationStore.ts"
import { type AdmissionRequest, admissionSql, runAdmission } from "./AdmissionSql.ts"
import { idempotencyKeys } from "./IdempotencySql.ts"
import { outbox } from "./OutboxSql.ts"
import { first, InstantColumn, nullableTimestamp, RialsColumn, rowsOf, timestamp } from "./SqlRows.ts"
import { subjectTimers } from "./SubjectTimersSql.ts"
import { moveParts } from "./WalletSql.ts"

const SEND_OPERATION = "otp.send"

export const VerificationRow = Schema.Struct({
  ...Verification.fields,
  nextStepAt: Schema.NullOr(InstantColumn),
  createdAt: InstantColumn,
  expiresAt: InstantColumn,
  verifiedAt: Schema.NullOr(InstantColumn),
  held: RialsColumn,
  captured: RialsColumn
})
/** Of `verifications v`. */
export const verificationColumns = `v.id, v.customer_id as "customerId", v.phone, v.status, v.revision, v.route,
  v.text_body as "textBody", v.attempts, v.remaining, v.next_step_at as "nextStepAt",
  v.slot_reserved as "slotReserved", v.repeating,
  v.created_at as "createdAt", v.expires_at as "expiresAt", v.verified_at as "verifiedAt", v.held, v.captured`
const StoredRow = Schema.Struct({ ...VerificationRow.fields, sealedCode: Schema.NullOr(Schema.Uint8Array) })
const ClaimedRow = Schema.Struct({ ...VerificationRow.fields, fingerprint: Schema.Uint8Array })
const ComparisonRow = Schema.Struct({
  matched: Schema.Boolean,
  status: VerificationStatus,
  webhooks: Schema.Int
})
const CountRow = Schema.Struct({ count: Schema.Int, webhooks: Schema.Int })

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
      const timerLoop = yield* Timers
      const verificationRows = rowsOf(VerificationRow)
      const storedRows = rowsOf(StoredRow)
      const claimedRows = rowsOf(ClaimedRow)
      const comparisonRows = rowsOf(ComparisonRow)
      const countRows = rowsOf(CountRow)

      const columns = sql.literal(verificationColumns)

      const snapshot = sql.literal(`jsonb_build_object('status', c.status, 'attempts', c.attempts,
        'next_step_at', c.next_step_at, 'verified_at', c.verified_at)`)

      const keys = idempotencyKeys(sql, SEND_OPERATION)
      const timers = subjectTimers(sql, timerKind)
      const movesOf = moveParts(sql, random)
      const events = outbox(sql, random, snapshot)
      /** Webhooks are due at once. */
      const wakeFor = (webhooks: number) => (webhooks > 0 ? timerLoop.wakeAt(0) : Effect.void)

      return VerificationStore.of({
        accept: ({ verification: v, admission, codeHash, sealedCode, lease, idempotency }) => {
          const { id, customerId, phone, createdAt: now } = v
          const request: AdmissionRequest = { kind: "code", id, customerId, phone, now, admission }
          const { verdict, counts, columns: verdictColumns } = admissionSql(sql, request)
          const statement = sql`
            with ${verdict}, claimed as (${keys.claim(v, idempotency)}),
            verification as (
              insert into verifications (customer_id, id, mode, phone, status, revision, route, text_body, attempts,
                remaining, next_step_at, code_hash, sealed_code, created_at, expires_at, held)
              select ${v.customerId}::int, ${v.id}::uuid, ${mode}, ${v.phone}, ${v.status}, ${v.revision}::int,
                ${JSON.stringify(v.route)}::jsonb, ${v.textBody}::text, '[]'::jsonb, ${v.remaining}::int[],
                ${timestamp(v.createdAt)}::timestamptz, ${codeHash}::bytea, ${sealedCode}::bytea,
                ${timestamp(v.createdAt)}::timestamptz, ${timestamp(v.expiresAt)}::timestamptz, ${v.held}::bigint
              from claimed),
            timer as (
              insert into timers (customer_id, kind, subject, claimable_at, lease_token)
              select ${v.customerId}::int, ${timerKind}, ${v.id}::uuid, ${timestamp(lease.until)}::timestamptz,
                ${lease.token}::uuid
              from claimed)
            ${counts}
            select ${verdictColumns} from verdict v`
          const timer: LeasedTimer = {
            kind: timerKind,
            customerId: v.customerId,
            subject: v.id,
            lane: 0,
            leaseToken: lease.token
          }
          return Effect.map(runAdmission(sql, request, statement), (accepted) =>
            accepted ? Option.some(timer) : Option.none()
          )
        },

        findClaimedKey: (customerId, key, now) =>
          first(
            claimedRows(sql`
              select ${columns}, k.fingerprint from idempotency_keys k
              join verifications v on v.customer_id = k.customer_id and v.id = k.subject
              where ${keys.isClaimed(customerId, key, now)}`)
          ).pipe(Effect.map(Option.map(({ fingerprint, ...subject }) => ({ fingerprint, subject })))),

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

        commit: Effect.fnUntraced(function* (before, { next: v, events: made, dueAt, report }, now, timer) {
          const announced = announces ? made : []
          const { parts, webhooks } = yield* events.write(v.customerId, announced, now)
          const [row] = yield* countRows(sql`
            with changed as (
              update verifications set status = ${v.status}, revision = ${v.revision},
                attempts = ${JSON.stringify(v.attempts)}::jsonb, remaining = ${v.remaining}::int[],
                slot_reserved = ${v.slotReserved}, repeating = ${v.repeating},
                next_step_at = ${nullableTimestamp(v.nextStepAt)}::timestamptz,
                sealed_code = case when ${mayStillSend(v)} then sealed_code end,
                held = ${v.held}::bigint, captured = ${v.captured}::bigint,
                events_written = events_written + ${announced.length}
              where customer_id = ${v.customerId} and id = ${v.id}::uuid and mode = ${mode} and revision = ${before.revision}
                and ${dueAt === "held" && timer !== null ? timers.isHeld(timer) : sql`true`}
              returning *),
            timer as (${timers.write(dueAt)})
            ${timers.ask(report)}
            ${parts}
            ${yield* movesOf(v.id, walletMove(before, v), now)}
            select count(*)::int as count, ${webhooks} as webhooks from changed`)
          yield* wakeFor(row?.webhooks ?? 0)
          return row?.count === 1
        }),

        compareCode: Effect.fnUntraced(function* ({ customerId, id, codeHash, maxWrongCodes, now }) {
          const { parts, webhooks } = announces
            ? yield* events.writeFound(
                customerId,
                sql`case when c.status in ('verified', 'locked') then 'verification.' || c.status end`,
                now
              )
            : events.none
          const compared = yield* first(
            comparisonRows(sql`
              with target as (
                select customer_id, id, held as was_held, code_hash = ${codeHash} as matched,
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
                  slot_reserved = v.slot_reserved and not (t.matched or t.locks),
                  sealed_code = case when t.matched or t.locks then null else v.sealed_code end,
                  held = case when t.matched or t.locks then 0 else v.held end,
                  events_written = v.events_written + (t.matched or t.locks)::int
                from target t where v.customer_id = t.customer_id and v.id = t.id
                returning v.*, t.matched, t.was_held),
              wallet as (
                update wallets w set held = w.held - c.was_held from changed c
                where c.was_held > 0 and c.status in ('verified', 'locked')
                  and w.customer_id = c.customer_id and w.stripe = ${stripeOf(id)}::smallint),
              timer as (${timers.remove()} and c.status in ('verified', 'locked'))
              ${parts}
              select matched, status, ${webhooks} as webhooks from changed`)
          )
          if (Option.isSome(compared)) yield* wakeFor(compared.value.webhooks)
          return compared
        })
      })
    })
  )
