import { Context, type Effect, type Redacted } from "effect"
import type { ServiceUnavailable } from "../../domain/Errors.ts"

export interface PasswordMatch {
  readonly matches: boolean
  /** Whether the hash should be made anew, at what hashes cost now. */
  readonly isOutdated: boolean
}

/** Slow on purpose; few at once, so that sign-ins queue up instead of using up the memory, and not too many wait. */
export class Passwords extends Context.Service<
  Passwords,
  {
    readonly hash: (password: Redacted.Redacted) => Effect.Effect<string>
    /** For null, where there is nobody, it does the same work in vain: nobody can tell by the time it takes. */
    readonly verify: (
      password: Redacted.Redacted,
      hash: string | null
    ) => Effect.Effect<PasswordMatch, ServiceUnavailable>
  }
>()("peyk/services/manage/Passwords") {}
