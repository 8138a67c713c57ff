import { Context, type Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"

/** Requests of a minute that a process may admit. */
export interface Block {
  /** None when the minute is used up. */
  readonly granted: number
  /** Granted in this minute so far, to whomever. */
  readonly used: number
  readonly endsAt: Instant
}

/** How much of the minute of each service key, token and session has been granted, over all processes. */
export class KeyWindowStore extends Context.Service<
  KeyWindowStore,
  {
    /**
     * Grants an eighth of what is left of the key's minute, and at least one. A minute that is over, or was never opened,
     * opens now.
     */
    readonly take: (keyId: number, limit: number, now: Instant) => Effect.Effect<Block>
    /** The same for a token or a session. */
    readonly takeOfCredential: (credential: string, limit: number, now: Instant) => Effect.Effect<Block>
  }
>()("peyk/services/customer/KeyWindowStore") {}
