import { Context, type Effect } from "effect"
import type { TooManySignIns } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"

/** The keys by which failures are counted. */
export interface SignInOrigin {
  /** Normalized. */
  readonly email: string
  /** Null: unknown. */
  readonly network: string | null
  /** A browser in which this address has signed in before: then nothing else counts. */
  readonly browser?: string | null
}

/**
 * How many sign-ins can fail, over all processes: few of one e-mail address from one network, so that an attacker
 * cannot lock a user out; more of one e-mail address from everywhere, and of one network with any e-mail address. A
 * known browser has a limit of its own, which nobody else can use up.
 */
export class SignInLimits extends Context.Service<
  SignInLimits,
  {
    /** Counts a failure in advance, so that parallel requests cannot compare more passwords. */
    readonly take: (origin: SignInOrigin, now: Instant) => Effect.Effect<void, TooManySignIns>
    /** No password was compared: the count is taken back. */
    readonly refund: (origin: SignInOrigin) => Effect.Effect<void>
    /** The password was right: clears the e-mail address's failures, and takes back the network's count. */
    readonly succeeded: (origin: SignInOrigin) => Effect.Effect<void>
  }
>()("peyk/services/access/SignInLimits") {}
