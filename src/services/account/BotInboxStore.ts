import { Context, type Effect, type Option } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"

/** An account that people can write to. */
export interface BotInboxRecord {
  readonly accountId: number
  /** Where the next updates begin, in the platform's own terms. */
  readonly cursor: string | null
  /** Raised to give the account another address. */
  readonly generation: number
}

/** Each method is one atomic statement. */
export class BotInboxStore extends Context.Service<
  BotInboxStore,
  {
    readonly find: (accountId: number) => Effect.Effect<Option.Option<BotInboxRecord>>
    /** The inbox of a timer, while the timer is still leased with its token. */
    readonly loadLeased: (timer: LeasedTimer) => Effect.Effect<Option.Option<BotInboxRecord>>
    /**
     * Releases the timer until `dueAt` (at once if the address changed meanwhile); the next updates begin at the
     * record's cursor.
     */
    readonly moveOn: (
      timer: LeasedTimer,
      record: Pick<BotInboxRecord, "cursor" | "generation">,
      dueAt: Instant,
      now: Instant
    ) => Effect.Effect<void>
    /** Restarts the checks of every account's updates: the way they arrive may have changed. */
    readonly wakeAll: (now: Instant) => Effect.Effect<void>
  }
>()("peyk/services/account/BotInboxStore") {}
