import { Context, type Effect, type Redacted } from "effect"
import type { ServiceUnavailable, TooManySignIns } from "../../domain/Errors.ts"
import { signInNetwork } from "../../domain/Networks.ts"

interface PasswordMatch {
  readonly matches: boolean
  /** Whether a hash at the current cost should replace this one. */
  readonly isOutdated: boolean
}

/** The customer and the network of the request; null if unknown. */
export interface HashingOrigin {
  readonly customerId: number | null
  readonly network: string | null
  /** A browser in which this user has signed in before: it waits in a queue of its own. */
  readonly browser?: string | null
}

export const hashingOrigin = (customerId: number | null, ip: string | null): HashingOrigin => ({
  customerId,
  network: ip === null ? null : signInNetwork(ip)
})

/** `too_many_sign_ins`: too many passwords of this customer or network are in progress. */
export type HashingRefusal = TooManySignIns | ServiceUnavailable

/**
 * Slow on purpose. One is computed at a time, with what sends leave of one core, and the others wait in a queue, in
 * which no customer or network delays the others. The queue is limited by customer, by network, and in total.
 */
export class Passwords extends Context.Service<
  Passwords,
  {
    /** Refuses a new password that `hash` would refuse now, before anything else is done for it. */
    readonly refuseIfFull: (origin: HashingOrigin) => Effect.Effect<void, HashingRefusal>
    readonly hash: (
      password: Redacted.Redacted,
      origin: HashingOrigin
    ) => Effect.Effect<string, HashingRefusal>
    /** For null, an unknown user, it does the same work, so that the time reveals nothing. */
    readonly verify: (
      password: Redacted.Redacted,
      hash: string | null,
      origin: HashingOrigin
    ) => Effect.Effect<PasswordMatch, HashingRefusal>
  }
>()("peyk/services/user/Passwords") {}
