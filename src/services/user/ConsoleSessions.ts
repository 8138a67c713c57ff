import { Context, type Effect, type Option, type Redacted } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { ConsoleSession } from "../../domain/user/Sessions.ts"
import type { UserRecord } from "../../domain/user/User.ts"
import type { Candidate } from "./UserSessions.ts"

/** A session as its owner gets it once, with its secret. */
export interface StartedSession {
  readonly session: ConsoleSession
  readonly secret: Redacted.Redacted
  /** Who made the link that began it; null: nobody, or the command line. */
  readonly linkMadeBy: string | null
}

/** A sign-in of somebody who has a second factor, which is still to come. */
export interface PendingSignIn {
  readonly user: UserRecord
  readonly secret: Redacted.Redacted
}

export const isPending = (begun: StartedSession | PendingSignIn): begun is PendingSignIn =>
  !("session" in begun)

type Begun = Effect.Effect<Option.Option<StartedSession | PendingSignIn>>

/** A session of somebody, as they see it in the list of theirs. */
export interface ListedSession {
  readonly id: string
  /** In the console, or by the management API. */
  readonly kind: "console" | "api"
  /** An address without its last part; null: unknown. */
  readonly network: string | null
  readonly beganAt: Instant
  readonly lastUsedAt: Instant
  /** When it ends, if it is not used again. */
  readonly endsAt: Instant
}

/** Sessions of people in the console. */
export class ConsoleSessions extends Context.Service<
  ConsoleSessions,
  {
    /**
     * None when the user was disabled, or got another password, since they were found. `network` is masked, and for
     * their list of sessions.
     */
    readonly start: (candidate: Candidate, now: Instant, network?: string | null) => Begun
    /** Uses up a sign-in link; none when it cannot be used (any more). */
    readonly startByLink: (link: Redacted.Redacted, now: Instant, network?: string | null) => Begun
    /** Keeps the session from its idle end; none when it has ended. */
    readonly use: (secret: Redacted.Redacted, now: Instant) => Effect.Effect<Option.Option<ConsoleSession>>
    /** Shows an operator the console of a customer who exists; null: none any more. */
    readonly enter: (sessionId: string, customerId: number | null) => Effect.Effect<void>
    readonly end: (sessionId: string) => Effect.Effect<void>
    /** All that have not ended, in the console and by the API, the last begun first. */
    readonly list: (userId: string, now: Instant) => Effect.Effect<ReadonlyArray<ListedSession>>
    /** Ends one of the user's; false: they have no such session. */
    readonly endOf: (userId: string, sessionId: string, now: Instant) => Effect.Effect<boolean>
    /** Ends everything the user is signed in with: in the console and by the API. */
    readonly endAll: (userId: string, now: Instant) => Effect.Effect<void>
  }
>()("peyk/services/user/ConsoleSessions") {}

/** A pending sign-in, while it can be completed. */
interface FoundPending {
  readonly user: UserRecord
  /** What a passkey is to sign. */
  readonly challenge: string
  /** Who made the link that began it; null: nobody, or the command line. */
  readonly linkMadeBy: string | null
}

/** Sign-ins that wait for a second factor. They end after ten minutes, or with the epoch of their user. */
export class PendingSignIns extends Context.Service<
  PendingSignIns,
  {
    readonly find: (secret: Redacted.Redacted, now: Instant) => Effect.Effect<Option.Option<FoundPending>>
    /**
     * Counts a try in advance, so that parallel requests cannot try more, and replaces the challenge. None if it has
     * ended, or had its last try; else how many are left.
     */
    readonly take: (
      secret: Redacted.Redacted,
      now: Instant
    ) => Effect.Effect<Option.Option<{ readonly triesLeft: number; readonly challenge: string }>>
    /** Gives a try back, as nothing was compared. */
    readonly refund: (secret: Redacted.Redacted) => Effect.Effect<void>
    /** The second factor was right: begins the session. None if the pending sign-in has ended. */
    readonly complete: (
      secret: Redacted.Redacted,
      now: Instant,
      network: string | null
    ) => Effect.Effect<Option.Option<StartedSession>>
    readonly end: (secret: Redacted.Redacted) => Effect.Effect<void>
  }
>()("peyk/services/user/ConsoleSessions/PendingSignIns") {}

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
