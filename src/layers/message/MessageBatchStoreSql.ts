import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { BatchOutcome, refusedOutcome } from "../../domain/message/MessageBatch.ts"
import { lanes } from "../../domain/message/MessageLanes.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import { isPlanned, type MessageBatch, MessageBatchStore } from "../../services/message/MessageBatches.ts"
import { SetUpChanged } from "../../services/customer/Idempotency.ts"
import { Timers } from "../../services/timer/Timers.ts"
import { idempotencyKeys } from "../customer/IdempotencySql.ts"
import { currentSetUp, SetUpVersions } from "../postgres/SetUpCache.ts"
import { decodedAs, first, retryRaces, rowsOf } from "../postgres/SqlRows.ts"
import { makeAcceptWrites } from "../postgres/batching/AcceptBatchSql.ts"
import { type AcceptedMessage, acceptedMessages } from "./MessageStoreSql.ts"

const OPERATIONS = { live: "messages.batch", test: "sandbox.messages.batch" }

const ClaimRow = Schema.Struct({ isCurrent: Schema.Boolean, isClaimed: Schema.Boolean })
const KeyRow = Schema.Struct({ fingerprint: Schema.Uint8Array, answer: Schema.Array(BatchOutcome) })

/**
 * One mode's batches. A batch is one transaction of at most nine statements, whatever its size. Its key is claimed
 * first, so a repetition waits for it. Then everything that can refuse a message is locked, and each is admitted in its
 * turn.
 */
export const MessageBatchStoreSql = (mode: KeyMode) =>
  Layer.effect(
    MessageBatchStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const timers = yield* Timers
      const versions = yield* SetUpVersions
      const { locked } = yield* makeAcceptWrites(acceptedMessages(mode))
      const keys = idempotencyKeys(sql, OPERATIONS[mode])
      const claimRows = decodedAs(Schema.Tuple([ClaimRow]))
      const keyRows = rowsOf(KeyRow)

      const claim = ({ customerId, setUpVersion, idempotency, now }: MessageBatch, subject: string) =>
        claimRows(sql`
          with verdict as materialized (
            select case when not ${sql.literal(currentSetUp.condition)} then 'set_up_changed' end as reason
            from (select ${customerId}::int as customer_id, ${setUpVersion}::int as set_up) r
            ${sql.literal(currentSetUp.join)}),
          claimed as (${keys.claim({ customerId, id: subject, createdAt: now }, idempotency)})
          select exists (select from verdict where reason is null) as "isCurrent",
            exists (select from claimed) as "isClaimed"`)

      const keepResponse = (
        { customerId, idempotency }: MessageBatch,
        outcomes: ReadonlyArray<BatchOutcome>
      ) =>
        sql`update idempotency_keys set answer = ${JSON.stringify(outcomes)}::json
          where customer_id = ${customerId} and operation = ${OPERATIONS[mode]} and key = ${idempotency.key}`

      const admit = Effect.fnUntraced(function* (batch: MessageBatch) {
        const rows = yield* Effect.forEach(batch.entries.filter(isPlanned), ({ message, admission }) =>
          Effect.map(random.uuidV7(), (eventId): AcceptedMessage => ({
            message,
            admission,
            eventId,
            lanes: lanes(message),
            setUpVersion: null,
            lease: null,
            idempotency: null
          }))
        )
        const { verdicts, webhooks } = yield* locked(sql, rows)
        const refusals = new Map(rows.map(({ message }, nth) => [message.id, verdicts[nth]] as const))
        const outcomes = batch.entries.map((entry): BatchOutcome => {
          if (!isPlanned(entry)) return entry
          const { id } = entry.message
          const refusal = refusals.get(id)
          return typeof refusal === "object" && refusal !== null ? refusedOutcome(refusal) : { id }
        })
        yield* keepResponse(batch, outcomes)
        return { outcomes, webhooks }
      })

      const run = (batch: MessageBatch, subject: string) =>
        sql.withTransaction(
          Effect.gen(function* () {
            const [{ isCurrent, isClaimed }] = yield* claim(batch, subject)
            if (!isCurrent) return yield* new SetUpChanged()
            if (!isClaimed) return Option.none()
            return Option.some(yield* admit(batch))
          })
        )

      return MessageBatchStore.of({
        accept: Effect.fnUntraced(function* (batch) {
          const accepted = yield* retryRaces(run(batch, yield* random.uuidV7())).pipe(
            Effect.catchTag("SqlError", Effect.die),
            Effect.catchTag("SetUpChanged", () => versions.changed(batch.customerId, batch.setUpVersion))
          )
          return Option.map(accepted, ({ outcomes, webhooks }) => {
            if (webhooks > 0) timers.wakeAt(0)
            return outcomes
          })
        }),

        findClaimedKey: (customerId, key, now) =>
          first(
            keyRows(sql`
              select k.fingerprint, k.answer from idempotency_keys k
              where ${keys.isClaimed(customerId, key, now)}`)
          ).pipe(Effect.map(Option.map(({ fingerprint, answer }) => ({ fingerprint, subject: answer }))))
      })
    })
  )
