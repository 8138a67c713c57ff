import { Context, type Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { KnownBrowser } from "../../domain/user/Sessions.ts"

/** Whose browser it is: their normalized address, and the epoch of their sessions. */
export interface BrowserUser {
  readonly email: string
  readonly epoch: number
}

/**
 * Browsers in which people have signed in before. What they keep is signed, and shows nobody's address. It is worthless
 * for other people, and after the person's next epoch began: by a new password, or a sign-out everywhere.
 */
export class KnownBrowsers extends Context.Service<
  KnownBrowsers,
  {
    /** Whether this (normalized) address has signed in there; the caller compares the epoch. */
    readonly find: (cookie: string, email: string, now: Instant) => KnownBrowser | null
    /** The next cookie of a browser in which this user has signed in. */
    readonly remember: (cookie: string | null, user: BrowserUser, now: Instant) => Effect.Effect<string>
  }
>()("peyk/services/access/KnownBrowsers") {}
