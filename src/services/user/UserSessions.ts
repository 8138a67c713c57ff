import { Context, type Effect, type Option, type Redacted } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { UserRecord } from "../../domain/user/User.ts"

/** A user who can sign in, with the hash to check their password against. */
export interface Candidate {
  readonly user: UserRecord
  readonly passwordHash: string
}

interface FoundCandidate extends Candidate {
  /** Changes with each new password and sign-out everywhere. */
  readonly epoch: number
}

/** A session continues from refresh token to refresh token. */
export interface UserSession {
  readonly sessionId: string
  readonly user: UserRecord
  readonly refreshToken: Redacted.Redacted
}

export interface EndedSession {
  readonly sessionId: string
  readonly user: UserRecord
}

/** Sessions of people who signed in here. */
export class UserSessions extends Context.Service<
  UserSessions,
  {
    readonly findByEmail: (email: string) => Effect.Effect<Option.Option<FoundCandidate>>
    /** None if the user was disabled, or got another password, since the lookup. */
    readonly start: (
      candidate: Candidate,
      now: Instant,
      network?: string | null
    ) => Effect.Effect<Option.Option<UserSession>>
    /** Exchanges the token for the next one of its session; none if it is not valid (any more). */
    readonly refresh: (token: Redacted.Redacted, now: Instant) => Effect.Effect<Option.Option<UserSession>>
    /** Ends the session of a token that was used before; none if there is nothing to end. */
    readonly endIfReused: (
      token: Redacted.Redacted,
      now: Instant
    ) => Effect.Effect<Option.Option<EndedSession>>
    /** None if there is nothing to end. */
    readonly end: (token: Redacted.Redacted, now: Instant) => Effect.Effect<Option.Option<EndedSession>>
    /** Stores a new hash of the same password. */
    readonly rehash: (candidate: Candidate, passwordHash: string) => Effect.Effect<void>
  }
>()("peyk/services/user/UserSessions") {}
