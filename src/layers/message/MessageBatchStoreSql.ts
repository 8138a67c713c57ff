import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { admitInOrder, BatchOutcome, refusedOutcome } from "../../domain/message/MessageBatch.ts"
import type { KeyMode } from "../../domain/people/Customer.ts"
import {
  type BatchEntry,
  isPlanned,
  type MessageBatch,
  MessageBatchStore
} from "../../services/message/MessageBatchStore.ts"
import { SetUpChanged } from "../../services/customer/SetUpChanged.ts"
import { Timers } from "../../services/timer/Timers.ts"
import { idempotencyKeys } from "../customer/IdempotencySql.ts"
import { currentSetUp, SetUpVersions } from "../postgres/cache/SetUpVersions.ts"
import { inTurn } from "../postgres/citus/Turns.ts"
import { retryRaces } from "../postgres/Races.ts"
import { decodedAs, first, rowsOf } from "../postgres/SqlRows.ts"
import { acceptMessages, type AdmittedMessage } from "./AcceptMessagesSql.ts"
import { batchStanding } from "./BatchStandingSql.ts"

const OPERATIONS = { live: "messages.batch", test: "sandbox.messages.batch" }

const ClaimRow = Schema.Struct({ isCurrent: Schema.Boolean, isClaimed: Schema.Boolean })
const AcceptedRow = Schema.Struct({ webhooks: Schema.Int })
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
      const statement = acceptMessages(mode)
      const keys = idempotencyKeys(sql, OPERATIONS[mode])
      const takeTurn = yield* inTurn
      const claimRows = decodedAs(Schema.Tuple([ClaimRow]))
      const acceptedRows = decodedAs(Schema.Tuple([AcceptedRow]))
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

      const keepAnswer = ({ customerId, idempotency }: MessageBatch, outcomes: ReadonlyArray<BatchOutcome>) =>
        sql`update idempotency_keys set answer = ${JSON.stringify(outcomes)}::json
          where customer_id = ${customerId} and operation = ${OPERATIONS[mode]} and key = ${idempotency.key}`

      const write = Effect.fnUntraced(function* (admitted: ReadonlyArray<AdmittedMessage>) {
        if (admitted.length === 0) return 0
        const [{ webhooks }] = yield* acceptedRows(sql.unsafe(statement.text, statement.parameters(admitted)))
        return webhooks
      })

      const admit = Effect.fnUntraced(function* (batch: MessageBatch) {
        const planned = batch.entries.filter(isPlanned)
        const { lock, hold } = batchStanding(sql, batch.customerId)
        const { standing, stripes } = yield* lock(planned, batch.now)
        const asking = planned.map(({ message, admission }) => ({ phone: message.phone, admission }))
        const refusals = admitInOrder(standing, asking, batch.now)
        const admitted = planned.filter((_, nth) => refusals[nth] === undefined)
        yield* hold(stripes, admitted)
        const withEvents = yield* Effect.forEach(admitted, (each) =>
          Effect.map(random.uuidV7(), (eventId): AdmittedMessage => ({ ...each, eventId }))
        )
        const webhooks = yield* write(withEvents)
        const outcomeOf = new Map(
          planned.map((each, nth) => {
            const refusal = refusals[nth]
            return [each, refusal === undefined ? { id: each.message.id } : refusedOutcome(refusal)] as const
          })
        )
        const outcomes = batch.entries.flatMap((entry: BatchEntry) =>
          isPlanned(entry) ? (outcomeOf.get(entry) ?? []) : [entry]
        )
        yield* keepAnswer(batch, outcomes)
        return { outcomes, webhooks }
      })

      const run = (batch: MessageBatch, subject: string) =>
        sql.withTransaction(
          Effect.gen(function* () {
            const [{ isCurrent, isClaimed }] = yield* claim(batch, subject)
            if (!isCurrent) return yield* new SetUpChanged()
            if (!isClaimed) return Option.none()
            return Option.some(yield* takeTurn(sql, () => [batch.customerId], admit(batch)))
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
