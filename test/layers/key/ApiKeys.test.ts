import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { KeyMode } from "../../../src/domain/customer/Customer.ts"
import { ChangeFeed } from "../../../src/layers/postgres/ChangeFeed.ts"
import { CustomerRecords } from "../../../src/services/customer/CustomerRecords.ts"
import { ApiKeys, Keys } from "../../../src/services/key/Keys.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testInfrastructure } from "../../support/TestGraph.ts"

const process = testInfrastructure().pipe(Layer.provideMerge(TestClock.layer()))

const makeKey = Effect.fnUntraced(function* (mode: KeyMode, expiresInMillis: number | null = null) {
  const { id: customerId } = yield* (yield* CustomerRecords).create("test", "free")
  const now = yield* Clock.currentTimeMillis
  const expiresAt = expiresInMillis === null ? null : now + expiresInMillis
  const { record, secret } = yield* (yield* Keys).create(customerId, { mode, name: "k", expiresAt })
  return { customerId, id: record.id, secret }
})

const lastUsedAt = Effect.fnUntraced(function* (keyId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ at: Date | null }>`select last_used_at as at from api_keys where id = ${keyId}`
  return row?.at?.getTime() ?? null
})

layer(TestDatabase, { excludeTestServices: true })("a service key", (it) => {
  it.effect("speaks for its customer, in its mode", () =>
    Effect.gen(function* () {
      const { customerId, id, secret } = yield* makeKey("test")
      const principal = yield* (yield* ApiKeys).authenticate(secret)
      assert.deepStrictEqual(principal, {
        keyId: id,
        customerId,
        mode: "test",
        requestsPerMinute: null,
        allowedIps: null,
        setUpVersion: 0
      })
    }).pipe(Effect.provide(process))
  )

  it.effect("ends at its expiry to the millisecond, also where it is cached", () =>
    Effect.gen(function* () {
      const { secret } = yield* makeKey("live", 3000)
      const { authenticate } = yield* ApiKeys
      yield* authenticate(secret)
      yield* TestClock.adjust(2999)
      yield* authenticate(secret)
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Effect.flip(authenticate(secret)))._tag, "unauthenticated")
    }).pipe(Effect.provide(process))
  )

  it.effect("that is revoked is refused once what was cached has lapsed, though no notification came", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, secret } = yield* makeKey("live")
      const { authenticate } = yield* ApiKeys
      yield* (yield* ChangeFeed).listening
      yield* authenticate(secret)
      const revoke = Effect.gen(function* () {
        yield* sql`set local session_replication_role = replica`
        yield* sql`update api_keys set revoked_at = ${new Date(0)} where id = ${id}`
      })
      yield* sql.withTransaction(revoke)
      yield* authenticate(secret)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Effect.flip(authenticate(secret)))._tag, "unauthenticated")
    }).pipe(Effect.provide(process))
  )

  it.effect("is recalled without asking the store from its first use on, until it is revoked", () =>
    Effect.gen(function* () {
      const { customerId, id, secret } = yield* makeKey("live")
      const { authenticate, recall } = yield* ApiKeys
      const recalled = Effect.sync(() => recall(Redacted.value(secret)))
      yield* (yield* ChangeFeed).listening
      assert.isUndefined(yield* recalled)
      const principal = yield* authenticate(secret)
      assert.deepStrictEqual(yield* recalled, principal)
      yield* (yield* Keys).revoke(customerId, id, null)
      yield* Effect.repeat(Effect.andThen(Effect.yieldNow, recalled), {
        until: (found) => found === undefined
      })
      assert.strictEqual((yield* Effect.flip(authenticate(secret)))._tag, "unauthenticated")
    }).pipe(Effect.provide(process))
  )

  it.effect("is recalled neither after its expiry nor after seconds", () =>
    Effect.gen(function* () {
      const { authenticate, recall } = yield* ApiKeys
      const expiring = yield* makeKey("live", 3000)
      const lasting = yield* makeKey("live")
      yield* authenticate(expiring.secret)
      yield* authenticate(lasting.secret)
      yield* TestClock.adjust(3000)
      assert.isUndefined(recall(Redacted.value(expiring.secret)))
      assert.isDefined(recall(Redacted.value(lasting.secret)))
      yield* TestClock.adjust(2000)
      assert.isUndefined(recall(Redacted.value(lasting.secret)))
    }).pipe(Effect.provide(process))
  )

  it.effect("has its last use written once for many requests, and not on any of them", () =>
    Effect.gen(function* () {
      const { id, secret } = yield* makeKey("live")
      const { authenticate } = yield* ApiKeys
      for (let n = 1; n <= 20; n++) {
        yield* authenticate(secret)
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual(yield* lastUsedAt(id), null)
      yield* TestClock.adjust("10 seconds")
      const written = yield* lastUsedAt(id).pipe(Effect.repeat({ until: (at) => at !== null }))
      assert.strictEqual(written, 19_000)
    }).pipe(Effect.provide(process))
  )

  it.effect("has its last use written when the process stops", () =>
    Effect.gen(function* () {
      const { id } = yield* Effect.gen(function* () {
        const key = yield* makeKey("live")
        yield* (yield* ApiKeys).authenticate(key.secret)
        return key
      }).pipe(Effect.provide(process))
      assert.strictEqual(yield* lastUsedAt(id), 0)
    })
  )

  it.effect("is kept as a hash only, and what cannot be a key is refused without asking the store", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, secret } = yield* makeKey("live")
      const [row] = yield* sql<{
        kept: string
      }>`select to_jsonb(k)::text as kept from api_keys k where id = ${id}`
      assert.isFalse(row?.kept.includes(Redacted.value(secret)))
      const { authenticate } = yield* ApiKeys
      for (const nonsense of ["", "svc_live_", "svc_pat_x", `${Redacted.value(secret)}x`, "\0"]) {
        assert.strictEqual(
          (yield* Effect.flip(authenticate(Redacted.make(nonsense))))._tag,
          "unauthenticated"
        )
      }
    }).pipe(Effect.provide(process))
  )
})
