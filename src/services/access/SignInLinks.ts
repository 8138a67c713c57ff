import { Context, type Effect, type Option, type Redacted } from "effect"
import type { Instant } from "../../domain/Instant.ts"

export interface SignInLink {
  readonly userId: string
  readonly secret: Redacted.Redacted
  readonly expiresAt: Instant
}

/** Links that sign a user in to the console once. */
export class SignInLinks extends Context.Service<
  SignInLinks,
  {
    /**
     * For the customer's user with this (normalized) address, or its first owner. None where there is nobody like that
     * who may sign in.
     */
    readonly create: (
      customerId: number,
      email: string | null,
      now: Instant
    ) => Effect.Effect<Option.Option<SignInLink>>
  }
>()("peyk/services/access/SignInLinks") {}
