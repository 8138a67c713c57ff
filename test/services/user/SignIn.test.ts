import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { createHash, randomUUID } from "node:crypto"
import type { Role } from "../../../src/domain/user/Actor.ts"
import { Argon2 } from "../../../src/layers/crypto/PasswordsArgon2.ts"
import { CredentialStores, SessionsLive, SignInsLive } from "../../../src/layers/graphs/CredentialGraph.ts"
import { ChangeFeed } from "../../../src/layers/postgres/ChangeFeed.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"
import { CustomerRecords } from "../../../src/services/customer/CustomerRecords.ts"
import { Sessions, SigningKeys } from "../../../src/services/user/Sessions.ts"
import { SignIns } from "../../../src/services/user/SignIns.ts"
import { Users } from "../../../src/services/user/Users.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testInfrastructure } from "../../support/TestGraph.ts"
import { createUser, resetPassword } from "../../support/Users.ts"

const unbounded = { concurrency: "unbounded" } as const
const PASSWORD = Redacted.make("correct horse battery")
const WRONG = Redacted.make("wrong horse battery")

/** Costs nothing, and is counted. */
let computed: Array<number> = []
const CountedArgon2 = Layer.succeed(Argon2, (password, nonce, cost, tagLength) =>
  Effect.sync(() => {
    computed.push(cost.memory)
    return createHash("sha256").update(password).update(nonce).digest().subarray(0, tagLength)
  })
)

/** One process, with a clock of its own, which stands at this instant at first. */
const process = (startsAt = 0) =>
  Layer.mergeAll(SignInsLive, SessionsLive, CredentialStores).pipe(
    Layer.provideMerge(testInfrastructure()),
    Layer.provideMerge(
      Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(startsAt)), TestClock.layer())
    ),
    Layer.provideMerge(CountedArgon2)
  )

const DAY = 86_400_000

const newUser = Effect.fnUntraced(function* (role: Role = "owner") {
  const { id: customerId } = yield* (yield* CustomerRecords).create("test", "free")
  const email = `${randomUUID()}@example.ir`
  const user = yield* createUser(customerId, { email, role, password: PASSWORD })
  computed = []
  return { customerId, id: user.id, email }
})

let networks = 0
/** A network that no other test comes from. */
const newOrigin = () => {
  networks += 1
  return { ip: `192.0.${Math.floor(networks / 256)}.${networks % 256}`, userAgent: null, requestId: null }
}

const signIn = (email: string, password = PASSWORD, origin = newOrigin()) =>
  Effect.flatMap(SignIns, (signIns) => signIns.signIn({ email, password }, origin))
const refresh = (token: Redacted.Redacted) =>
  Effect.flatMap(SignIns, (signIns) => signIns.refresh(token, newOrigin()))
const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: ({ _tag }): string => _tag, onSuccess: () => "ok" })
const whoIs = (jwt: Redacted.Redacted) => Effect.flatMap(Sessions, ({ authenticate }) => authenticate(jwt))

const auditOf = Effect.fnUntraced(function* (customerId: number) {
  const sql = yield* SqlClient.SqlClient
  yield* (yield* Workers).idle
  const rows = yield* sql<{ action: string }>`
    select action from audit_log where customer_id = ${customerId} order by id`
  return rows.map(({ action }) => action)
})

layer(TestDatabase, { excludeTestServices: true })("signing in", (it) => {
  it.effect("makes a session of whoever has the password, whatever the address's case", () =>
    Effect.gen(function* () {
      const { customerId, id, email } = yield* newUser("developer")
      const { accessToken, expiresInSeconds } = yield* signIn(` ${email.toUpperCase()}`)
      assert.strictEqual(expiresInSeconds, 900)
      assert.deepInclude(yield* whoIs(accessToken), {
        customerId,
        id,
        kind: "user",
        role: "developer",
        scope: "full",
        isOwner: false
      })
      assert.deepStrictEqual(yield* auditOf(customerId), ["user.sign_in"])
    }).pipe(Effect.provide(process()))
  )

  it.effect(
    "costs one hash for a wrong password, nobody and somebody disabled alike, and is refused alike",
    () =>
      Effect.gen(function* () {
        const known = yield* newUser()
        const disabled = yield* newUser()
        yield* (yield* Users).update(disabled.customerId, disabled.id, { isDisabled: true })
        const tries = [
          [known.email, WRONG],
          [`${randomUUID()}@example.ir`, PASSWORD],
          [disabled.email, PASSWORD]
        ] as const
        for (const [email, password] of tries) {
          computed = []
          assert.strictEqual(yield* tagOf(signIn(email, password)), "unauthenticated")
          assert.deepStrictEqual(computed, [19_456])
        }
        assert.deepStrictEqual(yield* auditOf(known.customerId), ["user.sign_in_failed"])
        assert.deepStrictEqual(yield* auditOf(disabled.customerId), ["user.sign_in_failed"])
      }).pipe(Effect.provide(process()))
  )

  it.effect("replaces a hash of another cost, with the same password", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, email } = yield* newUser()
      yield* sql`
        update users set password_hash = replace(password_hash, 'm=19456', 'm=4096') where id = ${id}::uuid`
      yield* signIn(email)
      yield* signIn(email)
      assert.deepStrictEqual(computed, [4096, 19_456, 19_456])
    }).pipe(Effect.provide(process()))
  )
})

layer(TestDatabase, { excludeTestServices: true })("failed sign-ins", (it) => {
  it.effect(
    "of one address from one network: exactly ten of fifty at once are tried, and none until a quarter of an hour is over",
    () =>
      Effect.gen(function* () {
        const { email } = yield* newUser()
        const origin = newOrigin()
        const tags = yield* Effect.all(
          Arr.makeBy(50, () => tagOf(signIn(email, WRONG, origin))),
          unbounded
        )
        assert.strictEqual(tags.filter((tag) => tag === "unauthenticated").length, 10)
        assert.strictEqual(tags.filter((tag) => tag === "too_many_sign_ins").length, 40)
        assert.strictEqual(computed.length, 10)
        const refusal = yield* Effect.flip(signIn(email, PASSWORD, origin))
        assert.strictEqual("retryAfterSeconds" in refusal ? refusal.retryAfterSeconds : 0, 900)
        yield* TestClock.adjust("899 seconds")
        assert.strictEqual(yield* tagOf(signIn(email, PASSWORD, origin)), "too_many_sign_ins")
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* tagOf(signIn(email, PASSWORD, origin)), "ok")
      }).pipe(Effect.provide(process()))
  )

  it.effect("of one network: no more are tried, and no more counted against the addresses", () =>
    Effect.gen(function* () {
      const origin = newOrigin()
      const { email } = yield* newUser()
      yield* Effect.all(
        Arr.makeBy(50, (n) => tagOf(signIn(`${n}@example.ir`, WRONG, origin))),
        unbounded
      )
      const tags = yield* Effect.all(
        Arr.makeBy(20, () => tagOf(signIn(email, WRONG, origin))),
        unbounded
      )
      assert.deepStrictEqual([...new Set(tags)], ["too_many_sign_ins"])
      assert.strictEqual(yield* tagOf(signIn(email)), "ok")
    }).pipe(Effect.provide(process()))
  )

  it.effect("of a /64 of IPv6 are counted as one network's", () =>
    Effect.gen(function* () {
      const from = (n: number) => ({ ...newOrigin(), ip: `2001:db8:0:7::${n.toString(16)}` })
      for (const n of Arr.range(1, 50)) yield* tagOf(signIn(`v6-${n}@example.ir`, WRONG, from(n)))
      assert.strictEqual(yield* tagOf(signIn("v6@example.ir", WRONG, from(99))), "too_many_sign_ins")
    }).pipe(Effect.provide(process()))
  )

  it.effect("are forgotten by a success", () =>
    Effect.gen(function* () {
      const { email } = yield* newUser()
      const origin = newOrigin()
      for (const _ of Arr.range(1, 3)) {
        for (const __ of Arr.range(1, 3)) yield* tagOf(signIn(email, WRONG, origin))
        yield* signIn(email, PASSWORD, origin)
      }
      for (const _ of Arr.range(1, 9))
        assert.strictEqual(yield* tagOf(signIn(email, WRONG)), "unauthenticated")
      assert.strictEqual(yield* tagOf(signIn(email, PASSWORD, origin)), "ok")
    }).pipe(Effect.provide(process()))
  )
})

layer(TestDatabase, { excludeTestServices: true })("a session", (it) => {
  it.effect("goes on from refresh token to refresh token, for thirty days after each", () =>
    Effect.gen(function* () {
      const { email } = yield* newUser()
      let { refreshToken } = yield* signIn(email)
      for (const days of [29, 58, 87]) {
        const next = yield* refresh(refreshToken).pipe(Effect.provide(process(days * DAY)))
        refreshToken = next.refreshToken
      }
      const late = tagOf(refresh(refreshToken)).pipe(Effect.provide(process(117 * DAY)))
      assert.strictEqual(yield* late, "unauthenticated")
      const inTime = tagOf(refresh(refreshToken)).pipe(Effect.provide(process(117 * DAY - 1)))
      assert.strictEqual(yield* inTime, "ok")
    }).pipe(Effect.provide(process()))
  )

  it.effect("ends, with all its tokens, when one is used twice", () =>
    Effect.gen(function* () {
      const { customerId, email } = yield* newUser()
      const other = yield* signIn(email)
      const first = yield* signIn(email)
      const second = yield* refresh(first.refreshToken)
      assert.strictEqual(yield* tagOf(refresh(first.refreshToken)), "unauthenticated")
      assert.strictEqual(yield* tagOf(refresh(second.refreshToken)), "unauthenticated")
      assert.strictEqual(yield* tagOf(whoIs(second.accessToken)), "unauthenticated")
      assert.strictEqual(yield* tagOf(refresh(other.refreshToken)), "ok")
      assert.strictEqual(
        (yield* auditOf(customerId)).filter((each) => each === "user.session_ended").length,
        1
      )
    }).pipe(Effect.provide(process()))
  )

  it.effect("of many refreshes at once lets exactly one win, and is over then", () =>
    Effect.gen(function* () {
      const { email } = yield* newUser()
      const { refreshToken } = yield* signIn(email)
      const results = yield* Effect.all(
        Arr.makeBy(8, () => Effect.option(refresh(refreshToken))),
        unbounded
      )
      const won = Arr.getSomes(results)
      assert.strictEqual(won.length, 1)
      const winner = Option.getOrThrow(Arr.head(won))
      assert.strictEqual(yield* tagOf(refresh(winner.refreshToken)), "unauthenticated")
    }).pipe(Effect.provide(process()))
  )

  it.effect("ends by signing out, at once where it is cached too, and says so once", () =>
    Effect.gen(function* () {
      const { customerId, email } = yield* newUser()
      yield* (yield* ChangeFeed).listening
      const { accessToken, refreshToken } = yield* signIn(email)
      yield* whoIs(accessToken)
      const { signOut } = yield* SignIns
      yield* signOut(refreshToken, newOrigin())
      yield* signOut(refreshToken, newOrigin())
      yield* signOut(Redacted.make("nonsense"), newOrigin())
      assert.strictEqual(yield* tagOf(refresh(refreshToken)), "unauthenticated")
      const tags = tagOf(whoIs(accessToken)).pipe(Effect.repeat({ until: (tag) => tag !== "ok" }))
      assert.strictEqual(yield* tags, "unauthenticated")
      assert.deepStrictEqual(yield* auditOf(customerId), ["user.sign_in", "user.sign_out"])
    }).pipe(Effect.provide(process()))
  )

  it.effect("ends when its user is disabled or gets another password, and stays ended", () =>
    Effect.gen(function* () {
      const users = yield* Users
      const { customerId, id, email } = yield* newUser()
      const first = yield* signIn(email)
      yield* users.update(customerId, id, { isDisabled: true })
      yield* users.update(customerId, id, { isDisabled: false })
      assert.strictEqual(yield* tagOf(refresh(first.refreshToken)), "unauthenticated")
      const second = yield* signIn(email)
      yield* resetPassword(customerId, id, WRONG)
      assert.strictEqual(yield* tagOf(refresh(second.refreshToken)), "unauthenticated")
      assert.strictEqual(yield* tagOf(signIn(email)), "unauthenticated")
      assert.strictEqual(yield* tagOf(signIn(email, WRONG)), "ok")
    }).pipe(Effect.provide(process()))
  )

  it.effect("whose user is made a viewer may only read, without signing in again", () =>
    Effect.gen(function* () {
      const { customerId, id, email } = yield* newUser()
      yield* createUser(customerId, {
        email: `${randomUUID()}@example.ir`,
        role: "owner",
        password: PASSWORD
      })
      yield* (yield* ChangeFeed).listening
      const { accessToken } = yield* signIn(email)
      assert.strictEqual((yield* whoIs(accessToken)).scope, "full")
      yield* (yield* Users).update(customerId, id, { role: "viewer" })
      const actor = yield* whoIs(accessToken).pipe(Effect.repeat({ until: ({ scope }) => scope !== "full" }))
      assert.deepInclude(actor, { scope: "read_only", isOwner: false, role: "viewer" })
    }).pipe(Effect.provide(process()))
  )

  it.effect("has JWTs for a quarter of an hour, and half a minute for clocks that differ", () =>
    Effect.gen(function* () {
      const { email } = yield* newUser()
      const { accessToken } = yield* signIn(email)
      yield* TestClock.adjust("929 seconds")
      yield* whoIs(accessToken)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* tagOf(whoIs(accessToken)), "unauthenticated")
    }).pipe(Effect.provide(process()))
  )
})

layer(TestDatabase, { excludeTestServices: true })("the signing keys", (it) => {
  const kids = Effect.flatMap(SigningKeys, ({ publicKeys }) =>
    Effect.map(publicKeys, (keys) => keys.map(({ kid }) => String(kid)))
  )

  it.effect("begin with one, however many sign in first at once", () =>
    Effect.gen(function* () {
      const { email } = yield* newUser()
      assert.deepStrictEqual(yield* kids, [])
      yield* Effect.all(
        Arr.makeBy(5, () => signIn(email).pipe(Effect.provide(process()))),
        unbounded
      )
      assert.strictEqual((yield* kids).length, 1)
    }).pipe(Effect.provide(process()))
  )

  it.effect("are replaced by a rotation, and the old one is trusted for another hour", () =>
    Effect.gen(function* () {
      const { email } = yield* newUser()
      yield* signIn(email)
      const [old = ""] = yield* kids
      yield* TestClock.adjust("1 minute")
      const { id } = yield* (yield* SigningKeys).rotate
      assert.deepStrictEqual(yield* kids, [id, old])
      yield* TestClock.adjust("50 minutes")
      const { accessToken } = yield* signIn(email)
      yield* whoIs(accessToken)
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* kids, [id])
      yield* whoIs(accessToken)
    }).pipe(Effect.provide(process()))
  )

  it.effect("of another process are found when a token names one", () =>
    Effect.gen(function* () {
      const { email, id } = yield* newUser()
      yield* whoIs((yield* signIn(email)).accessToken)
      const other = yield* Effect.gen(function* () {
        yield* (yield* SigningKeys).rotate
        return yield* signIn(email)
      }).pipe(Effect.provide(process()))
      assert.strictEqual((yield* whoIs(other.accessToken)).id, id)
    }).pipe(Effect.provide(process()))
  )

  it.effect("are kept sealed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ kept: string }>`select to_jsonb(k)::text as kept from signing_keys k`
      assert.isAbove(rows.length, 0)
      for (const { kept } of rows) assert.notMatch(kept, /"d"/)
    }).pipe(Effect.provide(process()))
  )
})
