import { Context, type Effect, type Option, type Redacted } from "effect"
import type { Instant } from "../../domain/Instant.ts"

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
>()("peyk/services/user/SignInLinks") {}
