import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { makeKeySet, type PublishedKeys } from "../../../src/layers/user/SessionsJose.ts"
import { type IssuerKey, makeIssuerKey } from "../../support/fakes/JwtIssuer.ts"

/** An issuer that counts how often it is asked, and may be out of reach. */
const issuer = () => {
  const state = { keys: [] as ReadonlyArray<IssuerKey>, isDown: false, reads: 0 }
  const read = Effect.sync((): Option.Option<PublishedKeys> => {
    state.reads += 1
    return state.isDown ? Option.none() : Option.some({ keys: state.keys.map(({ publicJwk }) => publicJwk) })
  })
  const make = makeKeySet({ read, maxAgeMillis: 600_000, pauseMillis: 30_000 })
  return { state, make }
}

const twoKeys = Effect.promise(() => Promise.all([makeIssuerKey("EdDSA"), makeIssuerKey("EdDSA")]))
const clock = Effect.provide(Layer.fresh(TestClock.layer()))

describe("the keys of an issuer", () => {
  it.effect("are read once for ten minutes, whoever asks, also many at once", () =>
    Effect.gen(function* () {
      const [key] = yield* twoKeys
      const { state, make } = issuer()
      state.keys = [key]
      const keyOf = yield* make
      const ask = keyOf({ alg: "EdDSA", kid: key.kid })
      yield* Effect.all([ask, ask, ask], { concurrency: "unbounded" })
      yield* TestClock.adjust(599_999)
      yield* ask
      assert.strictEqual(state.reads, 1)
      yield* TestClock.adjust(1)
      yield* ask
      assert.strictEqual(state.reads, 2)
    }).pipe(clock)
  )

  it.effect("are read again for one that is not known, at most every half minute", () =>
    Effect.gen(function* () {
      const [old, next] = yield* twoKeys
      const { state, make } = issuer()
      state.keys = [old]
      const keyOf = yield* make
      yield* keyOf({ alg: "EdDSA", kid: old.kid })
      state.keys = [old, next]
      yield* keyOf({ alg: "EdDSA", kid: next.kid })
      assert.strictEqual(state.reads, 2)
      for (let n = 0; n < 20; n++) {
        const error = yield* Effect.flip(keyOf({ alg: "EdDSA", kid: `made-up-${n}` }))
        assert.strictEqual(error._tag, "unauthenticated")
      }
      assert.strictEqual(state.reads, 2)
      yield* TestClock.adjust("30 seconds")
      yield* Effect.flip(keyOf({ alg: "EdDSA", kid: "made-up" }))
      assert.strictEqual(state.reads, 3)
    }).pipe(clock)
  )

  it.effect("that were taken back are not trusted longer than ten minutes", () =>
    Effect.gen(function* () {
      const [old, next] = yield* twoKeys
      const { state, make } = issuer()
      state.keys = [old]
      const keyOf = yield* make
      yield* keyOf({ alg: "EdDSA", kid: old.kid })
      state.keys = [next]
      yield* TestClock.adjust("10 minutes")
      const error = yield* Effect.flip(keyOf({ alg: "EdDSA", kid: old.kid }))
      assert.strictEqual(error._tag, "unauthenticated")
    }).pipe(clock)
  )

  it.effect("stay while the issuer is out of reach, which is asked again every half minute", () =>
    Effect.gen(function* () {
      const [key] = yield* twoKeys
      const { state, make } = issuer()
      state.keys = [key]
      const keyOf = yield* make
      const ask = keyOf({ alg: "EdDSA", kid: key.kid })
      yield* ask
      state.isDown = true
      yield* TestClock.adjust("1 hour")
      for (let n = 0; n < 5; n++) yield* ask
      assert.strictEqual(state.reads, 2)
      yield* TestClock.adjust("30 seconds")
      yield* ask
      assert.strictEqual(state.reads, 3)
    }).pipe(clock)
  )

  it.effect("that could not be had at first are had later", () =>
    Effect.gen(function* () {
      const [key] = yield* twoKeys
      const { state, make } = issuer()
      Object.assign(state, { keys: [key], isDown: true })
      const keyOf = yield* make
      const ask = keyOf({ alg: "EdDSA", kid: key.kid })
      yield* Effect.flip(ask)
      state.isDown = false
      yield* Effect.flip(ask)
      assert.strictEqual(state.reads, 1)
      yield* TestClock.adjust("30 seconds")
      yield* ask
    }).pipe(clock)
  )
})
