import { Context, type Effect, type Option } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { BatchOutcome } from "../../domain/message/MessageBatch.ts"
import type { ClaimedKey, IdempotencyClaim } from "../customer/Idempotency.ts"
import type { SetUpChanged } from "../customer/SetUpChanged.ts"
import type { KnownSetUp } from "../verification/VerificationStore.ts"
import type { PlannedMessage } from "./MessagePlans.ts"

/** A message of a batch: planned, or refused already. */
export type BatchEntry = PlannedMessage | BatchOutcome

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
>()("peyk/services/message/MessageBatchStore") {}
