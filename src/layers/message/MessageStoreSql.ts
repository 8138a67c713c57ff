import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { walletMove } from "../../domain/money/Charging.ts"
import type { KeyMode } from "../../domain/people/Customer.ts"
import { type MessageAcceptance, MessageStore } from "../../services/message/MessageStore.ts"
import { SubjectIds } from "../../services/SubjectIds.ts"
import { Timers } from "../../services/timer/Timers.ts"
import { idempotencyKeys } from "../customer/IdempotencySql.ts"
import { makeAccept } from "../postgres/batching/AcceptBatchSql.ts"
import { batchId } from "../postgres/batching/BatchIds.ts"
import { writingClients } from "../postgres/batching/BatchLane.ts"
import { makeCommitBatch, makeCommitSingle } from "../postgres/batching/CommitBatchSql.ts"
import { makeLoadBatch, makeLoadLeasedBatch } from "../postgres/batching/LoadBatchSql.ts"
import type { BatchClients } from "../postgres/batching/StatementBatch.ts"
import { SetUpVersions } from "../postgres/cache/SetUpVersions.ts"
import { first, rowsOf } from "../postgres/SqlRows.ts"
import { MessageBatchSql } from "../postgres/Pools.ts"
import { acceptedMessages } from "./AcceptedMessages.ts"
import { committedMessages } from "./CommittedMessages.ts"
import { loadedMessages, messageColumns, MessageRow, OPERATIONS, TIMER_KINDS } from "./MessageRow.ts"

const ClaimedRow = Schema.Struct({ ...MessageRow.fields, fingerprint: Schema.Uint8Array })

/** One mode's messages: those of the other mode do not exist here. */
export const MessageStoreSql = (mode: KeyMode) =>
  Layer.effect(
    MessageStore,
    Effect.gen(function* () {
      const timerKind = TIMER_KINDS[mode]
      const sql = yield* SqlClient.SqlClient
      const clients: BatchClients = { together: yield* MessageBatchSql, alone: sql }
      const writing = yield* writingClients(clients)
      const random = yield* SecureRandom.SecureRandom
      const ids = yield* SubjectIds
      const timerLoop = yield* Timers
      const versions = yield* SetUpVersions
      const claimedRows = rowsOf(ClaimedRow)
      const columns = sql.literal(messageColumns)
      const keys = idempotencyKeys(sql, OPERATIONS[mode])

      /** Webhooks are due at once. */
      const wakeFor = (webhooks: number) => {
        if (webhooks > 0) timerLoop.wakeAt(0)
      }

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
            heldTimer: transition.dueAt === "held" ? timer : null,
            move: walletMove(before, transition.next)
          })
          return Effect.map(write, ({ isWritten, webhooks }) => {
            wakeFor(webhooks)
            return isWritten
          })
        },

        commitSingle: (before, transition, now) => {
          const move = walletMove(before, transition.next)
          const write = commitSingle({ before, transition, now, lane: 0, heldTimer: null, move })
          return Effect.map(write, ({ isWritten, webhooks }) => {
            wakeFor(webhooks)
            return isWritten
          })
        }
      })
    })
  )
