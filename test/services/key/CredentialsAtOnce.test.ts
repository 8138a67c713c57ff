import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { decodeProtectedHeader } from "jose"
import { randomUUID } from "node:crypto"
import { Argon2 } from "../../../src/layers/crypto/PasswordsArgon2.ts"
import { CredentialStores, SessionsLive, SignInsLive } from "../../../src/layers/graphs/CredentialGraph.ts"
import { PersonalTokensSql } from "../../../src/layers/key/TokensSql.ts"
import { CustomerRecords } from "../../../src/services/customer/CustomerRecords.ts"
import { PersonalTokens, Tokens } from "../../../src/services/key/Tokens.ts"
import { Sessions, SigningKeys } from "../../../src/services/user/Sessions.ts"
import { SignIns } from "../../../src/services/user/SignIns.ts"
import { Users } from "../../../src/services/user/Users.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testInfrastructure } from "../../support/TestGraph.ts"
import { createUser } from "../../support/Users.ts"

const PASSWORD = Redacted.make("correct horse battery")
const FreeArgon2 = Layer.succeed(Argon2, (_password, _nonce, _cost, tagLength) =>
  Effect.succeed(new Uint8Array(tagLength))
)

const process = () =>
  Layer.mergeAll(SignInsLive, SessionsLive, CredentialStores, PersonalTokensSql).pipe(
    Layer.provideMerge(testInfrastructure()),
    Layer.provideMerge(TestClock.layer()),
    Layer.provideMerge(FreeArgon2)
  )

/** No notification comes from here on. */
const unannounced = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["personal_tokens", "users", "refresh_tokens"]) {
    yield* sql`alter table ${sql(table)} disable trigger announce`
  }
})

const newUser = Effect.gen(function* () {
  const { id: customerId } = yield* (yield* CustomerRecords).create("test", "free")
  const email = `${randomUUID()}@example.ir`
  const { id } = yield* createUser(customerId, { email, role: "owner", password: PASSWORD })
  return { customerId, email, id }
})

const signIn = Effect.fnUntraced(function* (email: string) {
  const origin = { ip: "192.0.2.1", userAgent: null, requestId: null }
  return yield* (yield* SignIns).signIn({ email, password: PASSWORD }, origin)
})

/** The acts of another process meanwhile. */
const elsewhere = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provide(effect, process(), { local: true })

layer(TestDatabase, { excludeTestServices: true })("in a process that hears of no change", (it) => {
  it.effect("a token that another process has revoked is refused at once", () =>
    Effect.gen(function* () {
      const { authenticate } = yield* PersonalTokens
      const { customerId } = yield* newUser
      const { record, secret } = yield* (yield* Tokens).create(customerId, {
        name: "CI",
        scope: "full",
        expiresAt: null
      })
      yield* authenticate(secret)
      yield* unannounced
      yield* elsewhere(Effect.flatMap(Tokens, ({ revoke }) => revoke(customerId, record.id)))
      assert.strictEqual((yield* Effect.flip(authenticate(secret)))._tag, "unauthenticated")
    }).pipe(Effect.provide(process()))
  )

  it.effect("a session is refused at once when another process has disabled its user", () =>
    Effect.gen(function* () {
      const { authenticate } = yield* Sessions
      const { customerId, email, id } = yield* newUser
      const { accessToken } = yield* signIn(email)
      yield* authenticate(accessToken)
      yield* unannounced
      yield* elsewhere(Effect.flatMap(Users, ({ update }) => update(customerId, id, { isDisabled: true })))
      assert.strictEqual((yield* Effect.flip(authenticate(accessToken)))._tag, "unauthenticated")
    }).pipe(Effect.provide(process()))
  )

  it.effect("the next session is signed with the key that another process has made", () =>
    Effect.gen(function* () {
      const { email } = yield* newUser
      yield* signIn(email)
      const { id } = yield* elsewhere(Effect.flatMap(SigningKeys, ({ rotate }) => rotate))
      const { accessToken } = yield* signIn(email)
      assert.strictEqual(decodeProtectedHeader(Redacted.value(accessToken)).kid, id)
      yield* (yield* Sessions).authenticate(accessToken)
    }).pipe(Effect.provide(process()))
  )
})
