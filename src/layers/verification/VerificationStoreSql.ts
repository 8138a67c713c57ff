import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { TimerKind } from "../../domain/Timer.ts"
import { walletMove } from "../../domain/money/Charging.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import type { Route } from "../../domain/routing/Route.ts"
import { type Verification, mayStillSend } from "../../domain/verification/Verification.ts"
import { idempotencyKeys } from "../customer/IdempotencySql.ts"
import { BatchSql } from "../postgres/Pools.ts"
import {
  type BatchColumn,
  first,
  intArrayText,
  jsonText,
  nullableTimestamp,
  rowsOf
} from "../postgres/SqlRows.ts"
import {
  type AcceptKind,
  ADMITTED,
  makeAccept,
  type OptionalColumns
} from "../postgres/batching/AcceptBatchSql.ts"
import type { AcceptApart } from "../postgres/batching/AcceptApartSql.ts"
import { intArrayIn } from "../postgres/batching/RowStatements.ts"
import type { CommitEntry, CommitKind, Committed } from "../postgres/batching/CommitParts.ts"
import { makeCommitBatch, makeCommitSingle } from "../postgres/batching/CommitBatchSql.ts"
import { makeCompareBatch } from "../postgres/batching/CompareBatchSql.ts"
import { makeLoadBatch, makeLoadLeasedBatch } from "../postgres/batching/LoadBatchSql.ts"
import { type BatchClients, comparingClients, writingClients } from "../postgres/batching/StatementBatch.ts"
import { SetUpVersions } from "../postgres/SetUpCache.ts"
import { makeCommitLeased } from "./LeasedCommitSql.ts"
import {
  dueVerifications,
  loadedVerifications,
  VERIFICATION_SNAPSHOT,
  verificationColumns,
  VerificationRow
} from "./VerificationRow.ts"
import { SubjectIds } from "../../services/Subjects.ts"
import { type Load, Workers } from "../../services/concurrency/Workers.ts"
import { Timers } from "../../services/timer/Timers.ts"
import { type Acceptance, VerificationStore } from "../../services/verification/VerificationStore.ts"

/** The names that separate idempotency keys. */
const OPERATIONS = { live: "otp.send", test: "sandbox.otp.send" }

const routeText = jsonText<Route>()

const columns: ReadonlyArray<BatchColumn<Acceptance>> = [
  { name: "status", type: "text", of: ({ verification }) => verification.status },
  { name: "revision", type: "int4", of: ({ verification }) => verification.revision },
  { name: "route", type: "text", of: ({ verification }) => routeText(verification.route) },
  { name: "text_body", type: "text", of: ({ verification }) => verification.textBody },
  { name: "remaining", type: "text", of: ({ verification }) => intArrayText(verification.remaining) },
  { name: "expires_at", type: "timestamptz", of: ({ verification }) => verification.expiresAt },
  { name: "code_hash", type: "bytea", of: ({ codeHash }) => codeHash },
  { name: "sealed_code", type: "bytea", of: ({ sealedCode }) => sealedCode },
  { name: "lease_until", type: "timestamptz", of: ({ lease }) => lease.until },
  { name: "lease_token", type: "uuid", of: ({ lease }) => lease.token }
]

const given: OptionalColumns<Acceptance> = {
  isNeeded: ({ verification: { metadata, textLocale }, client }) =>
    metadata !== null || textLocale !== null || client !== null,
  columns: [
    { name: "metadata", type: "text", of: ({ verification }) => verification.metadata },
    { name: "text_locale", type: "text", of: ({ verification }) => verification.textLocale },
    { name: "client", type: "jsonb", of: ({ client }) => client }
  ]
}

/** Alone, as an attack marks most codes. */
const guarded: OptionalColumns<Acceptance> = {
  isNeeded: ({ guardFlag }) => guardFlag !== null,
  columns: [{ name: "guard", type: "text", of: ({ guardFlag }) => guardFlag }]
}

/** Few codes look risky. */
const risky: OptionalColumns<Acceptance> = {
  isNeeded: ({ risk }) => risk !== null,
  columns: [{ name: "risk", type: "text", of: ({ risk }) => risk }]
}

const stores =
  (mode: KeyMode, timerKind: TimerKind) => (optional: ReadonlyArray<BatchColumn<Acceptance>>) => {
    const more = optional.map(({ name }) => `, ${name}`).join("")
    return `
  verification as (
    insert into verifications (customer_id, id, mode, phone, status, revision, route, text_body, attempts,
      remaining, next_step_at, code_hash, sealed_code, created_at, expires_at, held${more})
    select customer_id, id, '${mode}', phone, status, revision, route::jsonb, text_body, '[]', remaining::int[],
      now, code_hash, sealed_code, now, expires_at, hold${more}
    from ${ADMITTED}),
  timer as (
    insert into timers (customer_id, kind, subject, claimable_at, lease_token)
    select customer_id, '${timerKind}', id, lease_until, lease_token from ${ADMITTED})`
  }

const storesApart =
  (mode: KeyMode, timerKind: TimerKind): AcceptApart<Acceptance>["stores"] =>
  (optional) => {
    const more = (prefix: string) => optional.map(({ name }) => `, ${prefix}${name}`).join("")
    return [
      (rows) => `
      insert into verifications (customer_id, id, mode, phone, status, revision, route, text_body, attempts,
        remaining, next_step_at, code_hash, sealed_code, created_at, expires_at, held${more("")})
      select r.customer_id, r.id, '${mode}', r.phone, r.status, r.revision, r.route::jsonb, r.text_body, '[]',
        ${intArrayIn("r.remaining")}, r.now, r.code_hash, r.sealed_code, r.now, r.expires_at, r.hold${more("r.")}
      from here h, ${rows}`,
      (rows) => `
      insert into timers (customer_id, kind, subject, claimable_at, lease_token)
      select r.customer_id, '${timerKind}', r.id, r.lease_until, r.lease_token from here h, ${rows}`
    ]
  }

/** One mode's verifications, for the statement that accepts a batch of them. */
export const acceptedVerifications = (mode: KeyMode, timerKind: TimerKind): AcceptKind<Acceptance> => ({
  operation: OPERATIONS[mode],
  counts: "code",
  subjectOf: ({ verification }) => verification,
  columns,
  optional: [given, guarded, risky],
  stores: stores(mode, timerKind),
  webhooks: null,
  apart: { mode, table: "verifications", stores: storesApart(mode, timerKind), eventOf: null }
})

/** One mode's verifications, for the statement that commits a batch of their transitions. */
const committedVerifications = (
  mode: KeyMode,
  timerKind: TimerKind
): CommitKind<CommitEntry<Verification>> => ({
  name: "record",
  mode,
  timerKind,
  table: "verifications",
  alias: "v",
  columns: [
    {
      name: "remaining",
      type: "text",
      cast: "int[]",
      of: ({ transition }) => intArrayText(transition.next.remaining)
    },
    { name: "slot_reserved", type: "bool", of: ({ transition }) => transition.next.slotReserved },
    { name: "repeating", type: "bool", of: ({ transition }) => transition.next.repeating },
    { name: "next_step_at", type: "timestamptz", of: ({ transition }) => transition.next.nextStepAt },
    { name: "answered_status", type: "text", of: ({ transition }) => transition.next.answeredStatus },
    { name: "answered_step", type: "int2", of: ({ transition }) => transition.next.answeredStep },
    { name: "keeps_code", type: "bool", of: ({ transition }) => mayStillSend(transition.next) }
  ],
  sets: `remaining = r.remaining, slot_reserved = r.slot_reserved, repeating = r.repeating,
      next_step_at = r.next_step_at, answered_status = r.answered_status, answered_step = r.answered_step,
      sealed_code = case when r.keeps_code then v.sealed_code end,
      code_hash = case when r.status in ('pending', 'queued') then v.code_hash end`,
  lane: "0::smallint",
  shown: ["next_step_at", "verified_at"],
  snapshot: VERIFICATION_SNAPSHOT,
  snapshotOf: ({ status, attempts, nextStepAt, verifiedAt }) => ({
    status,
    attempts,
    next_step_at: nullableTimestamp(nextStepAt),
    verified_at: nullableTimestamp(verifiedAt)
  }),
  parts: []
})

const ClaimedRow = Schema.Struct({
  ...VerificationRow.fields,
  fingerprint: Schema.Uint8Array,
  risk: Schema.NullOr(Schema.String)
})

const MAX_PACE_MILLIS = 10
const SENDS_PER_MILLI = 40

/**
 * While hundreds of sends wait for their providers, accepted ones and responses arrive one by one, and each statement
 * would serve a few. What starts a statement costs as much as twenty sends, so statements then begin some milliseconds
 * apart: little next to the time that the providers take.
 */
export const pacedBy =
  ({ waiting }: Load) =>
  (): number =>
    Math.min(MAX_PACE_MILLIS, Math.floor(waiting.send / SENDS_PER_MILLI))

interface VerificationStoreOptions {
  readonly mode: KeyMode
  readonly timerKind: TimerKind
}

/** One mode's verifications: those of the other mode do not exist here. */
export const VerificationStoreSql = ({ mode, timerKind }: VerificationStoreOptions) =>
  Layer.effect(
    VerificationStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const clients: BatchClients = { batched: yield* BatchSql, single: sql, isAlone: true }
      const random = yield* SecureRandom.SecureRandom
      const ids = yield* SubjectIds
      const { wakeFor } = yield* Timers
      const versions = yield* SetUpVersions
      const claimedRows = rowsOf(ClaimedRow)

      const columns = sql.literal(verificationColumns)
      const keys = idempotencyKeys(sql, OPERATIONS[mode])
      const { load } = yield* Workers
      const writing = { ...(yield* writingClients(clients)), paceMillis: pacedBy(load) }
      const commitInBatch = yield* makeCommitBatch(
        writing,
        committedVerifications(mode, timerKind),
        random.uuidV7()
      )
      const commitSingle = yield* makeCommitSingle(
        sql,
        committedVerifications(mode, timerKind),
        random.uuidV7()
      )
      const compareInBatch = yield* makeCompareBatch(
        yield* comparingClients(clients),
        mode,
        timerKind,
        random.uuidV7()
      )
      const loading = yield* makeLoadBatch(clients, loadedVerifications(mode), versions)
      const loadLeasedInBatch = yield* makeLoadLeasedBatch(
        clients,
        dueVerifications(mode),
        timerKind,
        versions
      )
      const wakenAfter = (write: Effect.Effect<Committed>) =>
        Effect.map(write, ({ isWritten, webhooks }) => {
          wakeFor(webhooks)
          return isWritten
        })

      const isAccepted = yield* makeAccept(writing, {
        name: "accept",
        kind: acceptedVerifications(mode, timerKind),
        toRows: (batch) => Effect.sync(() => (ids.turn(), batch)),
        wakeFor,
        versions
      })

      return VerificationStore.of({
        accept: (acceptance) =>
          Effect.map(isAccepted(acceptance), (accepted) =>
            accepted
              ? Option.some({
                  kind: timerKind,
                  customerId: acceptance.verification.customerId,
                  subject: acceptance.verification.id,
                  lane: 0,
                  leaseToken: acceptance.lease.token,
                  leasedUntil: acceptance.lease.until
                })
              : Option.none()
          ),

        findClaimedKey: (customerId, key, now) =>
          first(
            claimedRows(sql`
              select ${columns}, k.fingerprint, v.risk from idempotency_keys k
              join verifications v on v.customer_id = k.customer_id and v.id = k.subject
              where ${keys.isClaimed(customerId, key, now)}`)
          ).pipe(
            Effect.map(
              Option.map(({ fingerprint, risk, ...verification }) => ({
                fingerprint,
                subject: { verification, risk }
              }))
            )
          ),

        ...loading,

        loadLeased: (timer) =>
          Effect.map(
            loadLeasedInBatch(timer),
            Option.map(({ sealedCode, ...verification }) => ({ sealedCode, verification }))
          ),

        commit: (before, transition, now, timer) => {
          const write = commitInBatch({
            before,
            transition,
            now,
            leasedTimer: timer,
            move: walletMove(before, transition.next)
          })
          return wakenAfter(write)
        },

        commitSingle: (before, transition, now) => {
          const move = walletMove(before, transition.next)
          return wakenAfter(commitSingle({ before, transition, now, leasedTimer: null, move }))
        },

        commitLeased: makeCommitLeased(sql, mode, timerKind),

        compareCode: (attempt) =>
          Effect.flatMap(compareInBatch(attempt), (compared) => {
            if (Option.isNone(compared)) return Effect.succeedNone
            const { matched, status, wrongCodes, webhooks } = compared.value
            if (status === null) return versions.changed(attempt.customerId, attempt.setUpVersion)
            wakeFor(webhooks)
            return Effect.succeedSome({ matched, status, wrongCodes })
          })
      })
    })
  )
