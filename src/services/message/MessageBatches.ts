import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import type { IdempotencyError, ServiceUnavailable } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import { sendTime } from "../../domain/message/Message.ts"
import { type BatchOutcome, refusedOutcome } from "../../domain/message/MessageBatch.ts"
import { SubjectIds } from "../Subjects.ts"
import { Workers } from "../concurrency/Workers.ts"
import { Customers } from "../customer/Customers.ts"
import {
  type ClaimedKey,
  type CreatingRequest,
  Idempotency,
  type IdempotencyClaim,
  type IdempotentRequest,
  type SetUpChanged
} from "../customer/Idempotency.ts"
import { makeMessagePlans, type MessageContent, type PlannedMessage } from "./MessagePlans.ts"
import { Timers } from "../timer/Timers.ts"
import type { KnownSetUp } from "../verification/VerificationStore.ts"

/** A message of a batch: planned, or refused already. */
type BatchEntry = PlannedMessage | BatchOutcome

export const isPlanned = (entry: BatchEntry): entry is PlannedMessage => "message" in entry

export interface MessageBatch {
  readonly customerId: number
  readonly setUpVersion: KnownSetUp
  readonly entries: ReadonlyArray<BatchEntry>
  readonly idempotency: IdempotencyClaim
  readonly now: Instant
}

/** Batches of messages. All of a batch is stored, with its response, or nothing is. */
export class MessageBatchStore extends Context.Service<
  MessageBatchStore,
  {
    /** None, and nothing is stored or counted, if the idempotency key is taken. */
    readonly accept: (
      batch: MessageBatch
    ) => Effect.Effect<Option.Option<ReadonlyArray<BatchOutcome>>, SetUpChanged>
    readonly findClaimedKey: (
      customerId: number,
      key: string,
      now: Instant
    ) => Effect.Effect<Option.Option<ClaimedKey<ReadonlyArray<BatchOutcome>>>>
  }
>()("peyk/services/message/MessageBatches/MessageBatchStore") {}

export interface BatchRequest extends CreatingRequest {
  readonly customerId: number
  /** Failures are messages whose form was refused already. */
  readonly items: ReadonlyArray<Result.Result<MessageContent, BatchOutcome>>
  readonly idempotency: IdempotentRequest
}

export interface SentBatch {
  /** In the order of the request. */
  readonly outcomes: ReadonlyArray<BatchOutcome>
  /** An earlier request with the same idempotency key created these messages. */
  readonly replayed: boolean
}

/** Creates many messages at once: each is admitted by itself, and all are accepted in one write. */
export class MessageBatches extends Context.Service<
  MessageBatches,
  {
    readonly send: (
      request: BatchRequest
    ) => Effect.Effect<SentBatch, IdempotencyError | SetUpChanged | ServiceUnavailable>
  }
>()("peyk/services/message/MessageBatches") {
  static readonly layer = Layer.effect(
    MessageBatches,
    Effect.gen(function* () {
      const ids = yield* SubjectIds
      const store = yield* MessageBatchStore
      const idempotency = yield* Idempotency
      const { plan, templatesFor } = yield* makeMessagePlans
      const customers = yield* Customers
      const timers = yield* Timers
      const workers = yield* Workers

      const prepare = Effect.fnUntraced(function* (request: BatchRequest) {
        const { customerId, items } = request
        const now = yield* Clock.currentTimeMillis
        const customer = yield* customers.configuration(customerId, request.setUpVersion)
        const contents = items.flatMap((item) => (Result.isSuccess(item) ? [item.success] : []))
        const fill = yield* templatesFor(customerId, contents)
        const entries = yield* Effect.forEach(items, (item) =>
          Effect.map(ids.next, (id): BatchEntry => {
            if (Result.isFailure(item)) return item.failure
            const planned = plan(customer, item.success, fill, { id, createdAt: now })
            return Result.isSuccess(planned) ? planned.success : refusedOutcome(planned.failure)
          })
        )
        return { customerId, setUpVersion: customer.setUpVersion, entries, now }
      })

      /** None if the idempotency key was taken. Any process with room takes the messages. */
      const accept = Effect.fnUntraced(function* (
        prepared: Effect.Success<ReturnType<typeof prepare>>,
        request: BatchRequest
      ) {
        const claim = yield* idempotency.claim(request.idempotency, prepared.now)
        if (claim === null) return yield* Effect.die("a batch has an idempotency key")
        const accepted = yield* store.accept({ ...prepared, idempotency: claim })
        if (Option.isNone(accepted)) return Option.none<SentBatch>()
        ids.turn()
        for (const entry of prepared.entries) if (isPlanned(entry)) timers.wakeAt(sendTime(entry.message))
        return Option.some<SentBatch>({ outcomes: accepted.value, replayed: false })
      })

      const make = (request: BatchRequest) =>
        Effect.flatMap(prepare(request), (prepared) => workers.runToEnd(accept(prepared, request)))

      return MessageBatches.of({
        send: (request) =>
          idempotency.respondOnce(request, {
            make: make(request),
            find: (key, now) => store.findClaimedKey(request.customerId, key, now),
            replay: (outcomes: ReadonlyArray<BatchOutcome>) => Effect.succeed({ outcomes, replayed: true })
          })
      })
    })
  )
}
