import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { Argon2, PasswordsArgon2 } from "../../src/layers/manage/PasswordsArgon2.ts"
import { Passwords } from "../../src/services/manage/Passwords.ts"

const password = Redacted.make("correct horse battery staple")

/** Computations that never end. */
const Stuck = PasswordsArgon2.pipe(
  Layer.provide(
    Layer.merge(
      NodeCrypto.layer,
      Layer.succeed(Argon2, () => Effect.never)
    )
  )
)

describe("passwords", () => {
  it.effect("of which too many wait already are not waited for", () =>
    Effect.gen(function* () {
      const passwords = yield* Passwords
      const waiting = yield* Effect.forEach(Array.from({ length: 66 }), () =>
        Effect.forkChild(passwords.verify(password, null), { startImmediately: true })
      )
      const refused = yield* Effect.flip(passwords.verify(password, null))
      assert.strictEqual(refused._tag, "service_unavailable")
      yield* Effect.forEach(waiting, Fiber.interrupt)
      const next = yield* Effect.forkChild(passwords.verify(password, null), { startImmediately: true })
      assert.isUndefined(next.pollUnsafe())
    }).pipe(Effect.provide(Stuck))
  )
})
