import { Context, type Effect } from "effect"
import type { TooManySignIns } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"

/** What failures are counted by. */
export interface SignInOrigin {
  /** Normalized. */
  readonly email: string
  /** Null: it is not known. */
  readonly network: string | null
}

/**
 * How many sign-ins may fail, over all processes: few of one e-mail address from one network, so that nobody can lock
 * somebody else out; more of one e-mail address from everywhere, and of one network with whatever e-mail address.
 */
export class SignInLimits extends Context.Service<
  SignInLimits,
  {
    /** Counts a failure before it is one, so that no parallelism gets more passwords compared. */
    readonly take: (origin: SignInOrigin, now: Instant) => Effect.Effect<void, TooManySignIns>
    /** No password was compared: what was taken counts as nothing. */
    readonly refund: (origin: SignInOrigin) => Effect.Effect<void>
    /** The password was right: the e-mail address's failures are forgotten, and the network's is given back. */
    readonly succeeded: (origin: SignInOrigin) => Effect.Effect<void>
  }
>()("peyk/services/access/SignInLimits") {}
