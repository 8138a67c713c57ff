import { Context, type Effect, type Option, type Redacted } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { ConsoleSession } from "../../domain/user/Sessions.ts"
import type { Candidate } from "./UserSessions.ts"

/** A session as its owner gets it once, with its secret. */
export interface StartedSession {
  readonly session: ConsoleSession
  readonly secret: Redacted.Redacted
  /** Who made the link that began it; null: nobody, or the command line. */
  readonly linkMadeBy: string | null
}

/** Sessions of people in the console. */
export class ConsoleSessions extends Context.Service<
  ConsoleSessions,
  {
    /** None when the user was disabled, or got another password, since they were found. */
    readonly start: (candidate: Candidate, now: Instant) => Effect.Effect<Option.Option<StartedSession>>
    /** Uses up a sign-in link; none when it cannot be used (any more). */
    readonly startByLink: (
      link: Redacted.Redacted,
      now: Instant
    ) => Effect.Effect<Option.Option<StartedSession>>
    /** Keeps the session from its idle end; none when it has ended. */
    readonly use: (secret: Redacted.Redacted, now: Instant) => Effect.Effect<Option.Option<ConsoleSession>>
    /** Shows an operator the console of a customer who exists; null: none any more. */
    readonly enter: (sessionId: string, customerId: number | null) => Effect.Effect<void>
    readonly end: (sessionId: string) => Effect.Effect<void>
    /** Ends everything the user is signed in with: in the console and by the API. */
    readonly endAll: (userId: string, now: Instant) => Effect.Effect<void>
  }
>()("peyk/services/user/ConsoleSessions") {}

export interface SignInLink {
  readonly userId: string
  readonly secret: Redacted.Redacted
  readonly expiresAt: Instant
}

/** Somebody who makes a link in the console. */
export interface LinkMaker {
  readonly userId: string
  /** The epoch of their session: a link ends with it. */
  readonly epoch: number
  /** A link for themselves continues this sign-in. */
  readonly signedInAt: Instant | null
}

/** Links that sign a user in to the console once. */
export class SignInLinks extends Context.Service<
  SignInLinks,
  {
    /**
     * For the customer's user with this (normalized) address, or its first owner. None where there is nobody like that
     * who may sign in. It replaces their earlier link. It works as long as its maker may make it; null is the command
     * line.
     */
    readonly create: (
      customerId: number,
      email: string | null,
      now: Instant,
      maker?: LinkMaker | null
    ) => Effect.Effect<Option.Option<SignInLink>>
  }
>()("peyk/services/user/ConsoleSessions/SignInLinks") {}
