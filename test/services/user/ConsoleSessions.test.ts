import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import {
  LINK_LIFE_MILLIS,
  SESSION_IDLE_MILLIS,
  SESSION_MAX_MILLIS
} from "../../../src/domain/user/Sessions.ts"
import { CredentialStores } from "../../../src/layers/graphs/CredentialGraph.ts"
import { ConsoleSessionsSql, SignInLinksSql } from "../../../src/layers/user/ConsoleSessionsSql.ts"
import { CustomerRecords } from "../../../src/services/customer/CustomerRecords.ts"
import { ConsoleSessions, SignInLinks } from "../../../src/services/user/ConsoleSessions.ts"
import { Users } from "../../../src/services/user/Users.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testInfrastructure } from "../../support/TestGraph.ts"

const process = Layer.mergeAll(ConsoleSessionsSql, SignInLinksSql, CredentialStores).pipe(
  Layer.provideMerge(testInfrastructure()),
  Layer.provideMerge(TestClock.layer())
)

const newOwner = Effect.gen(function* () {
  const { id: customerId } = yield* (yield* CustomerRecords).create("test", "free")
  const email = `${randomUUID()}@example.ir`
  const owner = { email, name: "Sara", role: "owner", passwordHash: "x" } as const
  const user = yield* (yield* Users).create(customerId, owner)
  return { customerId, user, passwordHash: "x" }
})

const start = Effect.gen(function* () {
  const owner = yield* newOwner
  const sessions = yield* ConsoleSessions
  const { secret } = Option.getOrThrow(yield* sessions.start(owner, 0))
  const isOn = (now: number) => Effect.map(sessions.use(secret, now), Option.isSome)
  return { ...owner, secret, isOn }
})

layer(TestDatabase, { excludeTestServices: true })("a session of the console", (it) => {
  it.effect("ends when it was not used for twelve hours", () =>
    Effect.gen(function* () {
      const { isOn } = yield* start
      assert.isTrue(yield* isOn(SESSION_IDLE_MILLIS - 1))
      assert.isTrue(yield* isOn(SESSION_IDLE_MILLIS * 2 - 2))
      assert.isFalse(yield* isOn(SESSION_IDLE_MILLIS * 3))
    }).pipe(Effect.provide(process))
  )

  it.effect("ends after seven days however much it is used", () =>
    Effect.gen(function* () {
      const { isOn } = yield* start
      for (let now = 0; now < SESSION_MAX_MILLIS; now += SESSION_IDLE_MILLIS / 2) {
        assert.isTrue(yield* isOn(now))
      }
      assert.isFalse(yield* isOn(SESSION_MAX_MILLIS))
    }).pipe(Effect.provide(process))
  )

  it.effect("does not begin for a password that is not the user's any more", () =>
    Effect.gen(function* () {
      const owner = yield* newOwner
      const started = (yield* ConsoleSessions).start({ ...owner, passwordHash: "old" }, 0)
      assert.isTrue(Option.isNone(yield* started))
    }).pipe(Effect.provide(process))
  )
})

layer(TestDatabase, { excludeTestServices: true })("a sign-in link", (it) => {
  const link = Effect.gen(function* () {
    const owner = yield* newOwner
    const made = Option.getOrThrow(yield* (yield* SignInLinks).create(owner.customerId, null, 0))
    const use = (now: number) =>
      Effect.flatMap(ConsoleSessions, (sessions) =>
        Effect.map(sessions.startByLink(made.secret, now), Option.isSome)
      )
    return { ...owner, use }
  })

  it.effect("is good for ten minutes", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* (yield* link).use(LINK_LIFE_MILLIS - 1))
      assert.isFalse(yield* (yield* link).use(LINK_LIFE_MILLIS))
    }).pipe(Effect.provide(process))
  )

  it.effect("is worth nothing for a user who was disabled since", () =>
    Effect.gen(function* () {
      const { use, user } = yield* link
      yield* (yield* Users).update(user.customerId, user.id, { isDisabled: true })
      assert.isFalse(yield* use(1))
    }).pipe(Effect.provide(process))
  )

  it.effect("is not the secret of a session", () =>
    Effect.gen(function* () {
      const { secret } = yield* start
      const started = (yield* ConsoleSessions).startByLink(secret, 1)
      assert.isTrue(Option.isNone(yield* started))
      assert.isTrue(Option.isNone(yield* (yield* ConsoleSessions).use(Redacted.make("svc_link_"), 1)))
    }).pipe(Effect.provide(process))
  )
})
