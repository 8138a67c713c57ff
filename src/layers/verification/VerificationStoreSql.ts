import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { walletMove } from "../../domain/money/Charging.ts"
import type { KeyMode } from "../../domain/people/Customer.ts"
import { SubjectIds } from "../../services/SubjectIds.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import { Timers } from "../../services/timer/Timers.ts"
import { VerificationStore } from "../../services/verification/VerificationStore.ts"
import { acceptedVerifications, OPERATIONS } from "./AcceptedVerifications.ts"
import { committedVerifications } from "./CommittedVerifications.ts"
import { makeCommitLeased } from "./LeasedCommitSql.ts"
import { comparingClients, writingClients } from "../postgres/batching/BatchLane.ts"
import { makeAccept } from "../postgres/batching/AcceptBatchSql.ts"
import { makeCommitBatch, makeCommitSingle } from "../postgres/batching/CommitBatchSql.ts"
import { makeCompareBatch } from "../postgres/batching/CompareBatchSql.ts"
import { makeLoadBatch, makeLoadLeasedBatch } from "../postgres/batching/LoadBatchSql.ts"
import type { BatchClients } from "../postgres/batching/StatementBatch.ts"
import { idempotencyKeys } from "../customer/IdempotencySql.ts"
import { SetUpVersions } from "../postgres/cache/SetUpVersions.ts"
import { first, rowsOf } from "../postgres/SqlRows.ts"
import { BatchSql } from "../postgres/Pools.ts"
import {
  dueVerifications,
  loadedVerifications,
  verificationColumns,
  VerificationRow
} from "./VerificationRow.ts"

const ClaimedRow = Schema.Struct({ ...VerificationRow.fields, fingerprint: Schema.Uint8Array })

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
      const clients: BatchClients = { together: yield* BatchSql, alone: sql }
      const random = yield* SecureRandom.SecureRandom
      const ids = yield* SubjectIds
      const timerLoop = yield* Timers
      const versions = yield* SetUpVersions
      const claimedRows = rowsOf(ClaimedRow)

      const columns = sql.literal(verificationColumns)
      const keys = idempotencyKeys(sql, OPERATIONS[mode])
      const writing = yield* writingClients(clients)
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
      /** Webhooks are due at once. */
      const wakeFor = (webhooks: number) => {
        if (webhooks > 0) timerLoop.wakeAt(0)
      }

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
              select ${columns}, k.fingerprint from idempotency_keys k
              join verifications v on v.customer_id = k.customer_id and v.id = k.subject
              where ${keys.isClaimed(customerId, key, now)}`)
          ).pipe(Effect.map(Option.map(({ fingerprint, ...subject }) => ({ fingerprint, subject })))),

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
            heldTimer: timer,
            move: walletMove(before, transition.next)
          })
          return Effect.map(write, ({ isWritten, webhooks }) => {
            wakeFor(webhooks)
            return isWritten
          })
        },

        commitSingle: (before, transition, now) => {
          const move = walletMove(before, transition.next)
          const write = commitSingle({ before, transition, now, heldTimer: null, move })
          return Effect.map(write, ({ isWritten, webhooks }) => {
            wakeFor(webhooks)
            return isWritten
          })
        },

        commitLeased: makeCommitLeased(sql, mode, timerKind),

        compareCode: (attempt) =>
          Effect.flatMap(compareInBatch(attempt), (compared) => {
            if (Option.isNone(compared)) return Effect.succeedNone
            const { matched, status, webhooks } = compared.value
            if (status === null) return versions.changed(attempt.customerId, attempt.setUpVersion)
            wakeFor(webhooks)
            return Effect.succeedSome({ matched, status })
          })
      })
    })
  )
