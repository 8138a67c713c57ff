import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeys, Keys } from "../../../src/services/key/Keys.ts"
import { Customers } from "../../../src/services/customer/Customers.ts"
import { Accounts } from "../../../src/services/account/Accounts.ts"
import { isSetUpChanged } from "../../../src/services/customer/Idempotency.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"
import { watchedBatches } from "../../support/WatchedBatches.ts"

const PHONE = "09121234567"

const process = () => testProcess(scriptProviders().layer)

/** No notification comes from here on. */
const unannounced = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["customers", "sending_accounts", "routing_orders", "api_keys"]) {
    yield* sql`alter table ${sql(table)} disable trigger announce`
  }
})

const versionOf = Effect.fnUntraced(function* (customerId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly version: number }>`
    select version from set_up_versions where customer_id = ${customerId}`
  return rows[0]?.version ?? 0
})

const newKey = Effect.fnUntraced(function* (customerId: number) {
  return yield* (yield* Keys).create(customerId, { mode: "live", name: "k", expiresAt: null })
})

layer(TestDatabase, { excludeTestServices: true })("the version of a customer's set-up", (it) => {
  it.effect("grows with every change of what is cached, and with nothing else", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer(["bale"])
      const { record } = yield* newKey(customerId)
      const grows = Effect.fnUntraced(function* (statement: string) {
        const before = yield* versionOf(customerId)
        yield* sql.unsafe(statement)
        return (yield* versionOf(customerId)) > before
      })
      const counted = [
        `update customers set plan = 'business' where id = ${customerId}`,
        `update customers set limits = '{"phone_hour": 1}' where id = ${customerId}`,
        `update customers set webotp_host = 'shop.ir' where id = ${customerId}`,
        `update customers set webotp_origins = '{https://shop.ir}' where id = ${customerId}`,
        `update customers set app_hash = 'FA+9qCX9VSu' where id = ${customerId}`,
        `update sending_accounts set is_default = false where customer_id = ${customerId}`,
        `update sending_accounts set disabled_at = now() where customer_id = ${customerId}`,
        `update sending_accounts set sealed_settings = 'x' where customer_id = ${customerId}`,
        `update sending_accounts set gap_ms = 5 where customer_id = ${customerId}`,
        `insert into sending_accounts (customer_id, channel, provider, label, sealed_settings, created_at)
          values (${customerId}, 'sms', 'simulator', 's', '', now())`,
        `update routing_orders set steps = '[]' where customer_id = ${customerId}`,
        `delete from routing_orders where customer_id = ${customerId}`,
        `update api_keys set rate_limit_per_minute = 5 where id = ${record.id}`,
        `update api_keys set allowed_ips = '{10.0.0.0/8}' where id = ${record.id}`,
        `update api_keys set expires_at = now() where id = ${record.id}`,
        `update api_keys set revoked_at = now() where id = ${record.id}`
      ]
      const uncounted = [
        `update customers set name = 'x' where id = ${customerId}`,
        `update api_keys set last_used_at = now() where id = ${record.id}`,
        `update account_pace set failures = failures + 1`,
        `update wallets set balance = balance + 1 where customer_id = ${customerId}`
      ]
      const seen = yield* Effect.forEach([...counted, ...uncounted], grows)
      assert.deepStrictEqual(seen, [...counted.map(() => true), ...uncounted.map(() => false)])
    }).pipe(Effect.provide(process()))
  )

  it.effect("is compared where codes are checked and looked up: with an older one nothing is done", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { send, verify, status } = yield* Verifications
      const customerId = yield* makeCustomer(["bale"])
      const { setUpVersion } = yield* (yield* Customers).configuration(customerId)
      const { verificationId: id } = yield* send({ customerId, phone: PHONE, setUpVersion })
      const right = providers.deliveries[0]?.code ?? ""
      const older = { customerId, id, setUpVersion: setUpVersion - 1 }
      for (let tries = 0; tries < 10; tries++) {
        assert.isTrue(isSetUpChanged(yield* Effect.flip(verify({ ...older, code: "000000" }))))
        assert.isTrue(isSetUpChanged(yield* Effect.flip(verify({ ...older, code: right }))))
      }
      assert.isTrue(isSetUpChanged(yield* Effect.flip(status(older))))
      const unknown = { ...older, id: "01890a5d-ac96-774b-bcce-b302099a8057" }
      assert.isTrue(isSetUpChanged(yield* Effect.flip(status(unknown))))
      assert.strictEqual((yield* status({ ...older, setUpVersion })).status, "queued")
      assert.strictEqual((yield* verify({ ...older, setUpVersion, code: right })).reason, "ok")
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect(
    "is compared where sends are accepted: with an older one nothing is sent, held or counted",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { send } = yield* Verifications
        const customerId = yield* makeCustomer(["bale"])
        const { setUpVersion } = yield* (yield* Customers).configuration(customerId)
        yield* send({ customerId, phone: PHONE, setUpVersion })
        yield* unannounced
        yield* sql`update customers set limits = '{"phone_hour": 1}' where id = ${customerId}`
        const request = { customerId, phone: PHONE, setUpVersion }
        assert.isTrue(isSetUpChanged(yield* Effect.flip(send(request))))
        assert.strictEqual(providers.deliveries.length, 1)
        const [counted] = yield* sql<{ readonly count: number }>`
        select count(*)::int as count from verifications where customer_id = ${customerId}`
        assert.strictEqual(counted?.count, 1)
        // Without a key there is nobody to read again but the customer.
        yield* send({ customerId, phone: PHONE })
        assert.strictEqual(
          (yield* Effect.flip(send({ customerId, phone: PHONE })))._tag,
          "too_many_requests_phone_hour"
        )
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )

  it.effect("is counted last: two who change one customer's accounts never wait in a circle", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer(["bale", "sms"])
      const rename = (channel: string) => sql`
        update sending_accounts set label = 'x' where customer_id = ${customerId} and channel = ${channel}`
      const first = yield* Deferred.make<void>()
      const second = yield* Deferred.make<void>()
      const before = yield* versionOf(customerId)
      const one = sql.withTransaction(
        Effect.gen(function* () {
          yield* rename("bale")
          yield* Deferred.succeed(first, undefined)
          yield* Deferred.await(second)
          yield* rename("sms")
        })
      )
      const other = sql.withTransaction(
        Effect.gen(function* () {
          yield* Deferred.await(first)
          yield* rename("sms")
          yield* Deferred.succeed(second, undefined)
        })
      )
      yield* Effect.all([one, other], { concurrency: "unbounded" })
      assert.isAbove(yield* versionOf(customerId), before)
    }).pipe(Effect.provide(process()))
  )

  it.effect("of the platform counts for every customer", () =>
    Effect.gen(function* () {
      const customers = yield* Customers
      const { send } = yield* Verifications
      const customerId = yield* makeCustomer([])
      yield* customers.configuration(customerId)
      yield* unannounced
      yield* (yield* Accounts).connect(null, {
        channel: "eitaa",
        provider: "simulator",
        label: "Ours",
        settings: {},
        isDefault: false
      })
      const channels = [{ channel: "eitaa", sender: "shared" as const }]
      const { currentAttemptChannel } = yield* send({ customerId, phone: PHONE, channels })
      assert.strictEqual(currentAttemptChannel.provider, "eitaa")
    }).pipe(Effect.provide(process()))
  )

  it.effect("a refusal rests on the set-up as it is, and many of them share a statement", () => {
    const statements = { made: 0 }
    const counted = watchedBatches((_, statement) => {
      statements.made += 1
      return statement
    })
    return Effect.gen(function* () {
      const { send } = yield* Verifications
      const customerId = yield* makeCustomer(["bale"])
      yield* (yield* Customers).configuration(customerId)
      const refused = Effect.flip(
        send({ customerId, phone: PHONE, channels: [{ channel: "sms", account_id: 987_654 }] })
      )
      statements.made = 0
      const refusals = yield* Effect.forEach(Array.from({ length: 200 }), () => refused, {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        new Set(refusals.map(({ _tag }) => _tag)),
        new Set(["channel_account_not_found"])
      )
      assert.isAtMost(statements.made, 4)
    }).pipe(Effect.provide(Layer.provide(process(), counted)))
  })

  it.effect("a key that was revoked is not confirmed, though no notification came", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const keys = yield* ApiKeys
      // Also not of the key itself: it could come late, and make the process forget what it remembers.
      yield* unannounced
      const customerId = yield* makeCustomer(["bale"])
      const { record, secret } = yield* newKey(customerId)
      yield* keys.authenticate(secret)
      yield* sql`update api_keys set revoked_at = ${new Date(0)} where id = ${record.id}`
      assert.isDefined(keys.recall(Redacted.value(secret)))
      // Every read of the customer reports that the key must be read again.
      yield* (yield* Customers).configuration(customerId)
      assert.isUndefined(keys.recall(Redacted.value(secret)))
      assert.strictEqual((yield* Effect.flip(keys.authenticate(secret)))._tag, "unauthenticated")
    }).pipe(Effect.provide(process()))
  )
})
