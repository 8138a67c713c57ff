import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { Argon2, PasswordsArgon2 } from "../../../src/layers/crypto/PasswordsArgon2.ts"
import { type HashingOrigin, Passwords } from "../../../src/services/user/Passwords.ts"

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

const OTHER = Redacted.make("another correct horse battery")

/** Computations that end when the test says so, the oldest first. */
const scriptedArgon2 = () => {
  const begun: Array<string> = []
  const running: Array<Deferred.Deferred<Uint8Array>> = []
  const compute = (message: string, _nonce: Uint8Array, _cost: unknown, tagLength: number) =>
    Effect.suspend(() => {
      const end = Deferred.makeUnsafe<Uint8Array>()
      begun.push(message)
      running.push(end)
      return Effect.map(Deferred.await(end), () => new Uint8Array(tagLength))
    })
  return {
    begun: () => begun,
    finishOne: Effect.suspend(() => {
      const end = running.shift()
      return end === undefined ? Effect.void : Deferred.succeed(end, new Uint8Array())
    }).pipe(Effect.andThen(Effect.yieldNow), Effect.andThen(Effect.yieldNow)),
    layer: Layer.provide(PasswordsArgon2, [NodeCrypto.layer, Layer.succeed(Argon2, compute)])
  }
}

/** Somebody of a customer, at a network, who both have nothing else to do. */
const from = (n: number): HashingOrigin => ({ customerId: n, network: `192.0.2.${n}` })

/** As many as may be present of one customer, or of one network. */
const CUSTOMER_BOUND = 8
const NETWORK_BOUND = 32

const start = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

describe("passwords", () => {
  it.effect("of which too many wait already are not waited for", () =>
    Effect.gen(function* () {
      const passwords = yield* Passwords
      const waiting = yield* Effect.forEach(Array.from({ length: 128 }), (_, n) =>
        Effect.forkChild(passwords.verify(password, null, from(n)), { startImmediately: true })
      )
      const refused = yield* Effect.flip(passwords.verify(password, null, from(129)))
      assert.strictEqual(refused._tag, "service_unavailable")
      yield* Effect.forEach(waiting, Fiber.interrupt)
      const next = yield* Effect.forkChild(passwords.verify(password, null, from(129)), {
        startImmediately: true
      })
      assert.isUndefined(next.pollUnsafe())
    }).pipe(Effect.provide(Stuck))
  )

  for (const operation of ["hash", "verify"] as const) {
    const work = (passwords: Passwords["Service"], origin: HashingOrigin) =>
      operation === "hash"
        ? Effect.asVoid(passwords.hash(password, origin))
        : Effect.asVoid(passwords.verify(password, null, origin))

    it.effect(`to ${operation} are bounded for one customer, and others are not refused`, () =>
      Effect.gen(function* () {
        const passwords = yield* Passwords
        for (let n = 0; n < CUSTOMER_BOUND; n++)
          yield* start(work(passwords, { customerId: 1, network: `192.0.2.${n}` }))
        const refused = yield* Effect.flip(work(passwords, { customerId: 1, network: "198.51.100.1" }))
        assert.deepInclude(refused, { _tag: "too_many_sign_ins", retryAfterSeconds: 1 })
        const other = yield* start(work(passwords, { customerId: 2, network: "192.0.2.1" }))
        assert.isUndefined(other.pollUnsafe())
      }).pipe(Effect.provide(Stuck))
    )

    it.effect(`to ${operation} are bounded for one network, and others are not refused`, () =>
      Effect.gen(function* () {
        const passwords = yield* Passwords
        for (let n = 0; n < NETWORK_BOUND; n++)
          yield* start(work(passwords, { customerId: n, network: "192.0.2.1" }))
        const refused = yield* Effect.flip(work(passwords, { customerId: 99, network: "192.0.2.1" }))
        assert.strictEqual(refused._tag, "too_many_sign_ins")
        const other = yield* start(work(passwords, { customerId: 99, network: "192.0.2.2" }))
        assert.isUndefined(other.pollUnsafe())
      }).pipe(Effect.provide(Stuck))
    )
  }

  it.effect(
    "of one customer that wait do not keep another's waiting, and what is given up leaves no trace",
    () => {
      const scripted = scriptedArgon2()
      return Effect.gen(function* () {
        const passwords = yield* Passwords
        const flood = yield* Effect.forEach(Array.from({ length: CUSTOMER_BOUND }), () =>
          start(passwords.hash(password, { customerId: 1, network: "192.0.2.1" }))
        )
        const signIn = yield* start(passwords.verify(OTHER, null, { customerId: 2, network: "192.0.2.1" }))
        assert.strictEqual(scripted.begun().length, 1)
        // at most one more of the flood comes first
        yield* scripted.finishOne
        yield* scripted.finishOne
        assert.include(scripted.begun(), Redacted.value(OTHER))
        yield* Fiber.interruptAll([...flood, signIn])
        const next = yield* start(passwords.verify(OTHER, null, { customerId: 1, network: "192.0.2.1" }))
        assert.strictEqual(scripted.begun().at(-1), Redacted.value(OTHER))
        yield* Fiber.interrupt(next)
      }).pipe(Effect.provide(scripted.layer))
    }
  )

  it.effect("of a known browser are not refused because of others, and are bounded too", () =>
    Effect.gen(function* () {
      const passwords = yield* Passwords
      const known = { customerId: null, network: null, browser: "mine" }
      for (let n = 0; n < 128; n++) yield* start(passwords.verify(password, null, from(n)))
      for (let n = 0; n < 4; n++) {
        const waiting = yield* start(passwords.verify(password, null, known))
        assert.isUndefined(waiting.pollUnsafe())
      }
      const refused = yield* Effect.flip(passwords.verify(password, null, known))
      assert.strictEqual(refused._tag, "too_many_sign_ins")
    }).pipe(Effect.provide(Stuck))
  )

  it.effect("that would be refused are refused before anything else is done for them", () =>
    Effect.gen(function* () {
      const passwords = yield* Passwords
      yield* passwords.refuseIfFull(from(1))
      for (let n = 0; n < CUSTOMER_BOUND; n++) yield* start(passwords.hash(password, from(1)))
      assert.strictEqual((yield* Effect.flip(passwords.refuseIfFull(from(1))))._tag, "too_many_sign_ins")
      yield* passwords.refuseIfFull(from(2))
    }).pipe(Effect.provide(Stuck))
  )
})
