import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { createHash, randomUUID } from "node:crypto"
import { ServiceUnavailable, TooManySignIns } from "../../../src/domain/Errors.ts"
import { Argon2, PasswordsArgon2 } from "../../../src/layers/crypto/PasswordsArgon2.ts"
import {
  FactorChecksLive,
  CredentialStores,
  SignInsLive
} from "../../../src/layers/graphs/CredentialGraph.ts"
import { ManagementWritesSql } from "../../../src/layers/postgres/ManagementWritesSql.ts"
import { SignInLimitsSql } from "../../../src/layers/user/SignInLimitsSql.ts"
import { SigningKeysSql } from "../../../src/layers/user/SigningKeysSql.ts"
import { UserSessionsSql } from "../../../src/layers/user/UserSessionsSql.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"
import { CustomerRecords } from "../../../src/services/customer/CustomerRecords.ts"
import { Passwords } from "../../../src/services/user/Passwords.ts"
import { SignInLimits, SignIns } from "../../../src/services/user/SignIns.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testInfrastructure } from "../../support/TestGraph.ts"
import { createUser, resetPassword } from "../../support/Users.ts"

const unbounded = { concurrency: "unbounded" } as const
const PASSWORD = Redacted.make("correct horse battery")
const OTHER = Redacted.make("another horse battery")
const WRONG = Redacted.make("wrong horse battery")

/** Costs nothing; waits for as long as it is held. */
let isHeld = false
const CheapArgon2 = Layer.succeed(Argon2, (password, nonce, _cost, tagLength) =>
  Effect.suspend(() =>
    isHeld
      ? Effect.never
      : Effect.succeed(createHash("sha256").update(password).update(nonce).digest().subarray(0, tagLength))
  )
)

const process = Layer.mergeAll(SignInsLive, CredentialStores, SignInLimitsSql).pipe(
  Layer.provideMerge(testInfrastructure()),
  Layer.provideMerge(TestClock.layer()),
  Layer.provideMerge(CheapArgon2)
)

const newUser = Effect.gen(function* () {
  const { id: customerId } = yield* (yield* CustomerRecords).create("test", "free")
  const email = `${randomUUID()}@example.ir`
  const role = "owner" as const
  const user = yield* createUser(customerId, { email, role, password: PASSWORD })
  return { customerId, id: user.id, email }
})

let networks = 0
/** A network that no other test of this file comes from. */
const newOrigin = () => {
  networks += 1
  return { ip: `203.0.${Math.floor(networks / 256)}.${networks % 256}`, userAgent: null, requestId: null }
}

const signIn = (email: string, password: Redacted.Redacted, origin = newOrigin()) =>
  Effect.match(
    Effect.flatMap(SignIns, (signIns) => signIns.signIn({ email, password }, origin)),
    { onFailure: ({ _tag }): string => _tag, onSuccess: () => "ok" }
  )

const failTimes = (times: number, email: string, originOf: () => ReturnType<typeof newOrigin>) =>
  Effect.all(
    Arr.makeBy(times, () => signIn(email, WRONG, originOf())),
    unbounded
  )

layer(TestDatabase, { excludeTestServices: true })("wrong passwords from one network", (it) => {
  it.effect("lock nobody out who comes from another", () =>
    Effect.gen(function* () {
      const { email } = yield* newUser
      const attacker = newOrigin()
      yield* failTimes(60, email, () => attacker)
      assert.strictEqual(yield* signIn(email, PASSWORD, attacker), "too_many_sign_ins")
      assert.strictEqual(yield* signIn(email, PASSWORD), "ok")
    }).pipe(Effect.provide(process))
  )

  it.effect("that is refused already do not use up what the network may try with other addresses", () =>
    Effect.gen(function* () {
      const [victim, other] = [yield* newUser, yield* newUser]
      const shared = newOrigin()
      yield* failTimes(200, victim.email, () => shared)
      assert.strictEqual(yield* signIn(other.email, PASSWORD, shared), "ok")
    }).pipe(Effect.provide(process))
  )
})

layer(TestDatabase, { excludeTestServices: true })("wrong passwords from everywhere", (it) => {
  it.effect("are compared fifty times, however many come at once", () =>
    Effect.gen(function* () {
      const { email } = yield* newUser
      const tags = yield* failTimes(90, email, newOrigin)
      assert.strictEqual(tags.filter((tag) => tag === "unauthenticated").length, 50)
      assert.strictEqual(yield* signIn(email, PASSWORD), "too_many_sign_ins")
    }).pipe(Effect.provide(process))
  )

  it.effect("are forgotten when the password is reset, for one network as for all", () =>
    Effect.gen(function* () {
      const { customerId, id, email } = yield* newUser
      const mine = newOrigin()
      yield* failTimes(10, email, () => mine)
      yield* failTimes(80, email, newOrigin)
      assert.strictEqual(yield* signIn(email, PASSWORD, mine), "too_many_sign_ins")
      assert.strictEqual(yield* signIn(email, PASSWORD), "too_many_sign_ins")
      yield* resetPassword(customerId, id, OTHER)
      assert.strictEqual(yield* signIn(email, OTHER, mine), "ok")
      assert.strictEqual(yield* signIn(email, OTHER), "ok")
    }).pipe(Effect.provide(process))
  )
})

layer(TestDatabase, { excludeTestServices: true })("a sign-in whose password was not compared", (it) => {
  const refusals = {
    too_many_sign_ins: new TooManySignIns({ retryAfterSeconds: 1 }),
    service_unavailable: new ServiceUnavailable()
  }
  for (const [tag, refusal] of Object.entries(refusals)) {
    it.effect(`counts as nothing when it is refused with ${tag}`, () => {
      let isBusy = true
      const Busy = Layer.effect(
        Passwords,
        Effect.map(Passwords, (passwords) =>
          Passwords.of({
            ...passwords,
            verify: (...given) => (isBusy ? Effect.fail(refusal) : passwords.verify(...given))
          })
        )
      ).pipe(Layer.provide(PasswordsArgon2))
      const BusySignIns = Layer.provide(Layer.fresh(SignIns.layer), [
        FactorChecksLive,
        ManagementWritesSql,
        Busy,
        SignInLimitsSql,
        SigningKeysSql,
        UserSessionsSql
      ])
      return Effect.gen(function* () {
        const { email } = yield* newUser
        const origin = newOrigin()
        for (const _ of Arr.range(1, 60)) assert.strictEqual(yield* signIn(email, PASSWORD, origin), tag)
        isBusy = false
        assert.strictEqual(yield* signIn(email, PASSWORD, origin), "ok")
      }).pipe(Effect.provide(Layer.provideMerge(BusySignIns, process)))
    })
  }
})

layer(TestDatabase, { excludeTestServices: true })("a sign-in that waits for hashing", (it) => {
  it.effect("is reported as waiting, not as work of this process", () =>
    Effect.gen(function* () {
      const { email } = yield* newUser
      const { load } = yield* Workers
      isHeld = true
      yield* Effect.forEach(Arr.range(1, 5), () =>
        Effect.forkChild(signIn(email, PASSWORD), { startImmediately: true })
      )
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => load.waiting.sign_in === 5 }))
      assert.strictEqual(load.running, 0)
      isHeld = false
    }).pipe(Effect.provide(process))
  )
})

layer(TestDatabase, { excludeTestServices: true })(
  "sign-ins from a network that has failed too often",
  (it) => {
    it.effect("leave nothing in the store, whatever e-mail addresses they name", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const count = Effect.map(
          sql<{ readonly count: number }>`select count(*)::int as count from sign_in_failures`,
          ([row]) => row?.count
        )
        const attacker = newOrigin()
        const attempt = (nth: number) => signIn(`${nth}@example.ir`, WRONG, attacker)
        const first = yield* Effect.forEach(Arr.range(1, 50), attempt)
        assert.deepStrictEqual(new Set(first), new Set(["unauthenticated"]))
        const before = yield* count
        assert.deepStrictEqual(
          yield* Effect.forEach(Arr.range(51, 55), attempt),
          Arr.replicate("too_many_sign_ins", 5)
        )
        assert.strictEqual(yield* count, before)
      }).pipe(Effect.provide(process))
    )
  }
)

layer(TestDatabase, { excludeTestServices: true })("what was given back", (it) => {
  it.effect("may be taken again, exactly as often", () =>
    Effect.gen(function* () {
      const limits = yield* SignInLimits
      const origin = { email: `${randomUUID()}@example.ir`, network: "203.0.113.7" }
      const take = Effect.match(limits.take(origin, 0), { onFailure: () => 0, onSuccess: () => 1 })
      const taken = Effect.map(
        Effect.all(
          Arr.makeBy(30, () => take),
          unbounded
        ),
        (each) => each.reduce<number>((sum, one) => sum + one, 0)
      )
      assert.strictEqual(yield* taken, 10)
      yield* limits.refund(origin)
      yield* limits.refund(origin)
      assert.strictEqual(yield* taken, 2)
    }).pipe(Effect.provide(process))
  )
})

layer(TestDatabase, { excludeTestServices: true })(
  "while passwords of one e-mail address are compared",
  (it) => {
    const SIGN_INS = 40

    it.effect("no refusal shows whether the address is somebody's", () =>
      Effect.gen(function* () {
        const { email } = yield* newUser
        const { load } = yield* Workers
        for (const address of [email, "nobody@example.ir"]) {
          isHeld = true
          let refused = 0
          const signIns = yield* Effect.forEach(Arr.range(1, SIGN_INS), () =>
            Effect.forkChild(
              Effect.tap(signIn(address, WRONG), () => Effect.sync(() => (refused += 1))),
              { startImmediately: true }
            )
          )
          yield* Effect.yieldNow.pipe(
            Effect.repeat({ until: () => load.waiting.sign_in + refused === SIGN_INS })
          )
          isHeld = false
          assert.strictEqual(refused, 0, address)
          yield* Fiber.interruptAll(signIns)
        }
      }).pipe(Effect.provide(process))
    )
  }
)
