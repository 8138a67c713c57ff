import { Context, type Effect } from "effect"
import type { TooManySignIns } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"

/** Whom failures are counted by. */
export interface SignInOrigin {
  /** Normalized. */
  readonly email: string
  /** Null: it is not known. */
  readonly network: string | null
}

/** How many sign-ins may fail, by e-mail address and by network, over all processes. */
export class SignInLimits extends Context.Service<
  SignInLimits,
  {
    /** Counts a failure before it is one, so that no parallelism gets more passwords compared. */
    readonly take: (origin: SignInOrigin, now: Instant) => Effect.Effect<void, TooManySignIns>
    /** It was none: the address's failures are forgotten, and the network's is given back. */
    readonly succeeded: (origin: SignInOrigin) => Effect.Effect<void>
  }
>()("peyk/services/manage/SignInLimits") {}
