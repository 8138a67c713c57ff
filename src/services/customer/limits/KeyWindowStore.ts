import { Context, type Effect } from "effect"
import type { Instant } from "../../../domain/Instant.ts"

/** A part of a key's minute: the requests that one process can admit. */
export interface Block {
  /** None if the minute is used up. */
  readonly granted: number
  /** Granted in this minute so far, to all processes. */
  readonly used: number
  readonly endsAt: Instant
}

/** Grants the requests of a minute of each service key, token and session to processes, in blocks. */
export class KeyWindowStore extends Context.Service<
  KeyWindowStore,
  {
    /**
     * Grants an eighth of what is left of the key's minute, and at least one. If the minute is over, or never began,
     * a new one begins now.
     */
    readonly take: (keyId: number, limit: number, now: Instant) => Effect.Effect<Block>
    /** The same for a token or a session. */
    readonly takeOfCredential: (credential: string, limit: number, now: Instant) => Effect.Effect<Block>
  }
>()("peyk/services/customer/limits/KeyWindowStore") {}
