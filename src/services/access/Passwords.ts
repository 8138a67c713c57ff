import { Context, type Effect, type Redacted } from "effect"
import { networkOf } from "../../domain/people/SignIn.ts"
import type { ServiceUnavailable, TooManySignIns } from "../../domain/Errors.ts"

export interface PasswordMatch {
  readonly matches: boolean
  /** Whether the hash should be replaced by one that costs what hashes cost now. */
  readonly isOutdated: boolean
}

/** Whose password it is and where the request comes from; null where that is not known. */
export interface HashingOrigin {
  readonly customerId: number | null
  readonly network: string | null
}

export const hashingOrigin = (customerId: number | null, ip: string | null): HashingOrigin => ({
  customerId,
  network: ip === null ? null : networkOf(ip)
})

/** `too_many_sign_ins`: this customer or network has too many at work already. */
export type HashingRefusal = TooManySignIns | ServiceUnavailable

/**
 * Slow on purpose. Few are computed at once, the others wait in a queue, in which nobody's waiting keeps others back;
 * how many wait is bounded by customer, by network, and in total.
 */
export class Passwords extends Context.Service<
  Passwords,
  {
    readonly hash: (
      password: Redacted.Redacted,
      origin: HashingOrigin
    ) => Effect.Effect<string, HashingRefusal>
    /** For null, where there is nobody, it does the same work in vain: nobody can tell by the time it takes. */
    readonly verify: (
      password: Redacted.Redacted,
      hash: string | null,
      origin: HashingOrigin
    ) => Effect.Effect<PasswordMatch, HashingRefusal>
  }
>()("peyk/services/access/Passwords") {}
