import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { createHash, createHmac, randomUUID } from "node:crypto"
import { APP_CODE_WINDOW_MILLIS } from "../../../src/domain/user/SecondFactor.ts"
import { bytesOfBase32, codeIn, counterOf, stepOf } from "../../../src/domain/user/Totp.ts"
import { Argon2 } from "../../../src/layers/crypto/PasswordsArgon2.ts"
import {
  ConsoleSignInsLive,
  CredentialStores,
  SecondFactorsLive,
  SessionsLive,
  SignInsLive
} from "../../../src/layers/graphs/CredentialGraph.ts"
import { CustomerRecords } from "../../../src/services/customer/CustomerRecords.ts"
import { ConsoleSessions, isPending } from "../../../src/services/user/ConsoleSessions.ts"
import { ConsoleSignIns } from "../../../src/services/user/ConsoleSignIns.ts"
import { SecondFactors } from "../../../src/services/user/SecondFactors.ts"
import { SignIns } from "../../../src/services/user/SignIns.ts"
import { Sessions } from "../../../src/services/user/Sessions.ts"
import { Users } from "../../../src/services/user/Users.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testInfrastructure } from "../../support/TestGraph.ts"
import { createUser } from "../../support/Users.ts"

const unbounded = { concurrency: "unbounded" } as const
const PASSWORD = Redacted.make("correct horse battery")
const START = 1_790_000_000_000
const STEP = 30_000
const KEY = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
const origin = { ip: "203.0.113.7", userAgent: null, requestId: null }

const codeAt = (instant: number) =>
  codeIn(
    createHmac("sha1", bytesOfBase32(KEY))
      .update(counterOf(stepOf(instant)))
      .digest()
  )

/** Never the code of a time near. */
const wrong = (instant: number) => {
  const right = [-STEP, 0, STEP].map((off) => codeAt(instant + off))
  return ["000000", "111111", "222222", "333333"].find((code) => !right.includes(code)) ?? ""
}

const CheapArgon2 = Layer.succeed(Argon2, (password, nonce, _cost, tagLength) =>
  Effect.sync(() => createHash("sha256").update(password).update(nonce).digest().subarray(0, tagLength))
)

const process = Layer.mergeAll(
  SignInsLive,
  ConsoleSignInsLive,
  SessionsLive,
  CredentialStores,
  SecondFactorsLive
).pipe(
  Layer.provideMerge(testInfrastructure()),
  Layer.provideMerge(Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(START)), TestClock.layer())),
  Layer.provideMerge(CheapArgon2)
)

const newUser = Effect.gen(function* () {
  const { id: customerId } = yield* (yield* CustomerRecords).create("test", "free")
  const email = `${randomUUID()}@example.ir`
  const user = yield* createUser(customerId, { email, role: "owner", password: PASSWORD })
  return { customerId, id: user.id, email }
})

/** A user with an app, none of whose codes was used. */
const protectedUser = Effect.gen(function* () {
  const user = yield* newUser
  const factors = yield* SecondFactors
  yield* factors.saveApp(user.id, Redacted.make(KEY), 0, START)
  const recovery = yield* factors.newRecoveryCodes(user.id, START)
  return { ...user, recovery }
})

const begin = (email: string) =>
  Effect.gen(function* () {
    const begun = yield* (yield* ConsoleSignIns).signIn({ email, password: PASSWORD }, origin, null)
    if (!isPending(begun)) return yield* Effect.die("no second factor was asked for")
    return begun.secret
  })

const complete = (secret: Redacted.Redacted, code: string) =>
  Effect.flatMap(ConsoleSignIns, (signIns) => signIns.completeSignIn(secret, { code }, origin, null))
const stepOfTry = (secret: Redacted.Redacted, code: string) =>
  Effect.match(complete(secret, code), {
    onFailure: ({ _tag }): string => _tag,
    onSuccess: ({ step }) => step
  })
const apiTag = (email: string, code?: string) =>
  Effect.flatMap(SignIns, (signIns) =>
    signIns.signIn(
      { email, password: PASSWORD, ...(code === undefined ? {} : { secondFactor: Redacted.make(code) }) },
      origin
    )
  ).pipe(Effect.match({ onFailure: ({ _tag }): string => _tag, onSuccess: () => "ok" }))

const each = layer(TestDatabase, { excludeTestServices: true })

each("a second factor", (it) => {
  it.effect("is asked for after the password, and completes the sign-in", () =>
    Effect.gen(function* () {
      const { email, id, customerId } = yield* protectedUser
      const secret = yield* begin(email)
      const sessions = yield* ConsoleSessions
      assert.isTrue(Option.isNone(yield* sessions.use(secret, START)))
      const before = yield* (yield* Users).find(customerId, id)
      assert.isNull(before.lastSignInAt)
      const result = yield* complete(secret, codeAt(START))
      if (result.step !== "done") return assert.fail(result.step)
      assert.isTrue(Option.isSome(yield* sessions.use(result.signedIn.secret, START)))
      assert.strictEqual(yield* stepOfTry(secret, codeAt(START + STEP)), "ended")
      const after = yield* (yield* Users).find(customerId, id)
      assert.strictEqual(after.lastSignInAt, START)
      assert.isTrue(after.hasSecondFactor)
      const [listed] = yield* sessions.list(id, START)
      assert.strictEqual(listed?.network, "203.0.113.0/24")
    }).pipe(Effect.provide(process))
  )

  it.effect("of one step is accepted once, however many come at once", () =>
    Effect.gen(function* () {
      const { email } = yield* protectedUser
      const secrets = yield* Effect.all(Arr.makeBy(12, () => begin(email)))
      const steps = yield* Effect.all(
        secrets.map((secret) => stepOfTry(secret, codeAt(START))),
        unbounded
      )
      assert.strictEqual(steps.filter((step) => step === "done").length, 1)
      assert.strictEqual(steps.filter((step) => step === "wrong").length, 11)
      // nor one of an earlier step; the next step's is
      assert.strictEqual(yield* stepOfTry(yield* begin(email), codeAt(START - STEP)), "wrong")
      assert.strictEqual(yield* stepOfTry(yield* begin(email), codeAt(START + STEP)), "done")
    }).pipe(Effect.provide(process))
  )

  it.effect("is tried five times for one password, also at once", () =>
    Effect.gen(function* () {
      const { email } = yield* protectedUser
      const secret = yield* begin(email)
      const steps = yield* Effect.all(
        Arr.makeBy(12, () => stepOfTry(secret, wrong(START))),
        unbounded
      )
      assert.strictEqual(steps.filter((step) => step === "wrong").length, 5)
      assert.strictEqual(yield* stepOfTry(secret, codeAt(START)), "ended")
      assert.strictEqual(yield* stepOfTry(yield* begin(email), codeAt(START)), "done")
    }).pipe(Effect.provide(process))
  )

  it.effect("has ended after ten minutes, and with its user's epoch", () =>
    Effect.gen(function* () {
      const { email, id } = yield* protectedUser
      const [old, ended] = [yield* begin(email), yield* begin(email)]
      yield* (yield* ConsoleSessions).endAll(id, START)
      assert.strictEqual(yield* stepOfTry(ended, codeAt(START)), "ended")
      assert.strictEqual(yield* stepOfTry(old, codeAt(START)), "ended")
      const late = yield* begin(email)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* stepOfTry(late, codeAt(START + 600_000)), "ended")
    }).pipe(Effect.provide(process))
  )

  it.effect(
    "of the app is refused after twenty wrong ones in an hour; recovery codes and sessions go on",
    () =>
      Effect.gen(function* () {
        const { email, recovery } = yield* protectedUser
        const open = yield* complete(yield* begin(email), codeAt(START))
        for (let sign = 0; sign < 4; sign += 1) {
          const secret = yield* begin(email)
          for (let n = 0; n < 5; n += 1) assert.strictEqual(yield* stepOfTry(secret, wrong(START)), "wrong")
        }
        const secret = yield* begin(email)
        const next = codeAt(START + STEP)
        for (let n = 0; n < 7; n += 1) assert.strictEqual(yield* stepOfTry(secret, next), "too_many_sign_ins")
        assert.strictEqual(yield* apiTag(email, next), "too_many_sign_ins")
        const refusal = yield* Effect.flip(complete(secret, next))
        assert.strictEqual(refusal.retryAfterSeconds, 3600)
        if (open.step !== "done") return assert.fail(open.step)
        assert.isTrue(Option.isSome(yield* (yield* ConsoleSessions).use(open.signedIn.secret, START)))
        assert.strictEqual(yield* stepOfTry(secret, recovery[0] ?? ""), "done")
        yield* TestClock.adjust(APP_CODE_WINDOW_MILLIS)
        const later = START + APP_CODE_WINDOW_MILLIS
        assert.strictEqual(yield* stepOfTry(yield* begin(email), codeAt(later)), "done")
      }).pipe(Effect.provide(process))
  )

  it.effect("can be a recovery code, each once, also at once, and stored as its hash", () =>
    Effect.gen(function* () {
      const { email, id, recovery } = yield* protectedUser
      const [code = "", other = ""] = recovery
      assert.strictEqual(new Set(recovery).size, 10)
      assert.match(code, /^[a-z2-7]{5}(-[a-z2-7]{5}){3}-[a-z2-7]{6}$/)
      const secrets = yield* Effect.all(Arr.makeBy(8, () => begin(email)))
      const steps = yield* Effect.all(
        secrets.map((secret) => stepOfTry(secret, code.toUpperCase())),
        unbounded
      )
      assert.strictEqual(steps.filter((step) => step === "done").length, 1)
      assert.strictEqual((yield* (yield* SecondFactors).stateOf(id)).recoveryCodes, 9)
      const sql = yield* SqlClient.SqlClient
      const stored = yield* sql<{ text: string }>`
        select encode(sealed_key, 'escape') || (select string_agg(encode(code_hash, 'escape'), ' ') from recovery_codes r
          where r.user_id = a.user_id) as text from authenticator_apps a where user_id = ${id}::uuid`
      for (const secret of [KEY, other, other.replaceAll("-", "")]) assert.notInclude(stored[0]?.text, secret)
    }).pipe(Effect.provide(process))
  )
})

each("a sign-in with the API", (it) => {
  it.effect("needs the second factor of a user who has one", () =>
    Effect.gen(function* () {
      const { email, recovery } = yield* protectedUser
      assert.strictEqual(yield* apiTag(email), "second_factor_required")
      assert.strictEqual(yield* apiTag(email, wrong(START)), "unauthenticated")
      assert.strictEqual(yield* apiTag(email, codeAt(START)), "ok")
      assert.strictEqual(yield* apiTag(email, codeAt(START)), "unauthenticated")
      assert.strictEqual(yield* apiTag(email, recovery[3]), "ok")
    }).pipe(Effect.provide(process))
  )

  it.effect("is refused to somebody who must have one and has none, and so are their earlier sessions", () =>
    Effect.gen(function* () {
      const { email, id, customerId } = yield* newUser
      const signIns = yield* SignIns
      const signedIn = yield* signIns.signIn({ email, password: PASSWORD }, origin)
      const whoIs = Effect.flatMap(Sessions, ({ authenticate }) => authenticate(signedIn.accessToken))
      yield* whoIs
      yield* (yield* CustomerRecords).update(customerId, { needsSecondFactor: true })
      assert.strictEqual((yield* Effect.flip(whoIs))._tag, "unauthenticated")
      assert.strictEqual(
        (yield* Effect.flip(signIns.refresh(signedIn.refreshToken, origin)))._tag,
        "unauthenticated"
      )
      assert.strictEqual(yield* apiTag(email), "second_factor_required")
      assert.strictEqual(yield* apiTag(email, "123456"), "second_factor_required")
      const begun = yield* (yield* ConsoleSignIns).signIn({ email, password: PASSWORD }, origin, null)
      if (isPending(begun)) return assert.fail("they have nothing to give")
      assert.isTrue(begun.session.mustEnrol)
      yield* (yield* SecondFactors).saveApp(id, Redacted.make(KEY), 0, START)
      const used = Option.getOrThrow(yield* (yield* ConsoleSessions).use(begun.secret, START))
      assert.isFalse(used.mustEnrol)
      yield* whoIs
    }).pipe(Effect.provide(process))
  )
})
