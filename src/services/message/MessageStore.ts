import { Context, type Effect, type Option } from "effect"
import type { Admission } from "../../domain/customer/Admission.ts"
import type { AdmissionError } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Message } from "../../domain/message/Message.ts"
import type { Lane, MessageTransition } from "../../domain/message/MessageLanes.ts"
import type { ClaimedKey, IdempotencyClaim, SetUpChanged } from "../customer/Idempotency.ts"
import type { Lease, LeasedTimer } from "../../domain/Timer.ts"
import type { KnownSetUp } from "../verification/VerificationStore.ts"

export interface MessageAcceptance {
  readonly message: Message
  readonly setUpVersion: KnownSetUp
  readonly admission: Admission
  readonly lanes: ReadonlyArray<Lane>
  /** Leased by this process from the start; null: free for any process when it is due. */
  readonly lease: Lease | null
  readonly idempotency: IdempotencyClaim | null
}

/**
 * Each method is one atomic statement. With a version of the customer's set-up, it does nothing unless that is
 * current.
 */
export class MessageStore extends Context.Service<
  MessageStore,
  {
    /** The kind of the messages' timers. */
    readonly timerKind: "message" | "sandbox_message"
    /** False, and nothing is stored or counted, if the idempotency key is taken. */
    readonly accept: (acceptance: MessageAcceptance) => Effect.Effect<boolean, AdmissionError | SetUpChanged>
    readonly findClaimedKey: (
      customerId: number,
      key: string,
      now: Instant
    ) => Effect.Effect<Option.Option<ClaimedKey<Message>>>
    readonly load: (customerId: number, id: string) => Effect.Effect<Option.Option<Message>>
    /** Reads it for a request, with the key's set-up where that has changed. */
    readonly read: (request: {
      readonly customerId: number
      readonly id: string
      readonly setUpVersion: KnownSetUp
    }) => Effect.Effect<Option.Option<Message>, SetUpChanged>
    /** The message of a timer, while the timer is still leased with this token. */
    readonly loadLeased: (timer: LeasedTimer) => Effect.Effect<Option.Option<Message>>
    /**
     * Writes the transition if the message is still as it was `before`: state, the lane's timer, events, wallet. If
     * it keeps `timer`, it is refused when the lease was lost.
     */
    readonly commit: (
      timer: LeasedTimer | null,
      before: Message,
      transition: MessageTransition,
      now: Instant
    ) => Effect.Effect<boolean>
    /** Commits by a statement of its own, which is a part of the caller's transaction, if there is one. */
    readonly commitSingle: (
      before: Message,
      transition: MessageTransition,
      now: Instant
    ) => Effect.Effect<boolean>
  }
>()("peyk/services/message/MessageStore") {}
