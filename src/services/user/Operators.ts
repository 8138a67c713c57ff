import { Context, type Effect, type Option } from "effect"
import type { Conflict } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { UserRecord } from "../../domain/user/User.ts"
import type { SignInLink } from "./SignInLinks.ts"

/** People who run this installation: users of no customer, who see all customers in the console. */
export class Operators extends Context.Service<
  Operators,
  {
    /** A conflict if this (normalized) address already exists. */
    readonly create: (operator: {
      readonly email: string
      readonly name: string
      readonly passwordHash: string
    }) => Effect.Effect<UserRecord, Conflict>
    /** All of them, the first made first. */
    readonly list: Effect.Effect<ReadonlyArray<UserRecord>>
    /** None if no operator with this address may sign in. */
    readonly signInLink: (email: string, now: Instant) => Effect.Effect<Option.Option<SignInLink>>
  }
>()("peyk/services/user/Operators") {}
