import { Effect, type Redacted } from "effect"
import type { Role } from "../../src/domain/user/Actor.ts"
import { Passwords } from "../../src/services/user/Passwords.ts"
import { Users } from "../../src/services/user/Users.ts"

const hashed = (customerId: number, password: Redacted.Redacted) =>
  Effect.flatMap(Passwords, ({ hash }) => hash(password, { customerId, network: null }))

/** A user of a customer, with a password of at least the legal length. */
export const createUser = Effect.fnUntraced(function* (
  customerId: number,
  { email, role, password }: { email: string; role: Role; password: Redacted.Redacted }
) {
  const passwordHash = yield* hashed(customerId, password)
  return yield* (yield* Users).create(customerId, { email, name: "Sara", role, passwordHash })
})

export const resetPassword = Effect.fnUntraced(function* (
  customerId: number,
  id: string,
  password: Redacted.Redacted
) {
  const passwordHash = yield* hashed(customerId, password)
  return yield* (yield* Users).setPassword(customerId, id, passwordHash)
})
