import { Clock, Context, Effect, Option, Schema } from "effect"
import { type Conflict, NotFound } from "../../domain/Errors.ts"
import { Email, Name, NewPassword, optional } from "../../domain/Fields.ts"
import type { Instant } from "../../domain/Instant.ts"
import { loggedName, type Member } from "../../domain/user/User.ts"
import { action, NoInput, NoTarget } from "../Action.ts"
import type { SignInLink } from "./ConsoleSessions.ts"
import { SigningKeys } from "./Sessions.ts"
import { hashed, unknownPassword } from "./Users.ts"

/** People who run this installation: users of no customer, who see all customers in the console. */
export class Operators extends Context.Service<
  Operators,
  {
    /** A conflict if this (normalized) address already exists. */
    readonly create: (operator: {
      readonly email: string
      readonly name: string
      readonly passwordHash: string
    }) => Effect.Effect<Member, Conflict>
    /** All of them, the first made first. */
    readonly list: Effect.Effect<ReadonlyArray<Member>>
    /** None if no operator with this address may sign in. */
    readonly signInLink: (email: string, now: Instant) => Effect.Effect<Option.Option<SignInLink>>
  }
>()("peyk/services/user/Operators") {}

/** Somebody who runs this installation; without a password they sign in by a link. */
export const createOperator = action("operator.create", {
  input: Schema.Struct({ email: Email, name: Name, password: optional(NewPassword) }),
  target: NoTarget,
  access: "operator",
  prepare: (call) => {
    const { password = null } = call.input
    return password === null ? unknownPassword(call) : hashed(call, password)
  },
  run: ({ input: { email, name } }, passwordHash) =>
    Operators.use((operators) => operators.create({ email, name, passwordHash })),
  audit: ({ id, name }) => ({ id, name: loggedName(name) })
})

/** A link that signs an operator in to the console once. */
export const createOperatorLink = action("operator.create_sign_in_link", {
  input: Schema.Struct({ email: Email }),
  target: NoTarget,
  access: "operator",
  run: ({ input: { email } }) =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const made = yield* operators.signInLink(email, yield* Clock.currentTimeMillis)
      return Option.isSome(made) ? made.value : yield* new NotFound()
    }),
  audit: ({ userId }) => ({ id: userId })
})

/** Another key signs from now on; tokens of the old one stay valid until their end. */
export const rotateSigningKey = action("signing_key.rotate", {
  input: NoInput,
  target: NoTarget,
  access: "operator",
  run: () => SigningKeys.use((keys) => keys.rotate),
  audit: ({ id }) => ({ id })
})
