import { Context, type Effect, type Option, type Redacted } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { UserRecord } from "../../domain/people/User.ts"

/** Somebody who may sign in, with what their password is checked against. */
export interface Candidate {
  readonly user: UserRecord
  readonly passwordHash: string
}

/** A session goes on from refresh token to refresh token. */
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
    readonly findByEmail: (email: string) => Effect.Effect<Option.Option<Candidate>>
    /** None when the user was disabled, or got another password, since they were found. */
    readonly start: (candidate: Candidate, now: Instant) => Effect.Effect<Option.Option<UserSession>>
    /** Uses up the token, for the next of its session; none when it cannot be used (any more). */
    readonly refresh: (token: Redacted.Redacted, now: Instant) => Effect.Effect<Option.Option<UserSession>>
    /** Ends the session of a token that was used before; none when there is nothing (more) to end. */
    readonly endIfReused: (
      token: Redacted.Redacted,
      now: Instant
    ) => Effect.Effect<Option.Option<EndedSession>>
    /** None when there is nothing (more) to end. */
    readonly end: (token: Redacted.Redacted, now: Instant) => Effect.Effect<Option.Option<EndedSession>>
    /** Keeps a hash of the same password, made anew. */
    readonly rehash: (candidate: Candidate, passwordHash: string) => Effect.Effect<void>
  }
>()("peyk/services/access/UserSessions") {}
