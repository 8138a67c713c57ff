import { assert, layer } from "@effect/vitest"
import { Array as Arr, Duration, Effect, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { FREE_CODES } from "../../../src/domain/guard/CodeBudget.ts"
import { Guard } from "../../../src/services/guard/Guard.ts"
import { GuardRecords } from "../../../src/services/guard/GuardRecords.ts"
import { Wallets } from "../../../src/services/Wallets.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import {
  allVerified,
  attackedFromEverywhere,
  customerIn,
  CUSTOMERS_BUDGET,
  guarded,
  judged,
  knownTo,
  passedFrom,
  phoneOf,
  send,
  USERS,
  verified
} from "./GuardedCustomer.ts"

/** What a process may still have in hand when codes are given back. */
const IN_HAND = 4
const ATTACKER = "203.0.113.7"
const VOUCHED_BUDGET = 18
const NETWORKS_BUDGET = 26

const networkOfTwelve = (n: number) => `2001:db8:0:${n % 12}::1`
const newNetwork = (n: number) => `2001:db8:0:${n.toString(16)}::1`
const stranger = (n: number) => `192.0.${n}.1`

/** Networks of one /48 whose codes were verified so often with a customer, by an attacker. */
const mintedWith = Effect.fnUntraced(function* (customerId: number, codes: number) {
  assert.isTrue(yield* allVerified(customerId, 8000, Arr.makeBy(12 * codes, networkOfTwelve)))
  yield* judged
})

/** More than any budget for them lets pass. */
const FROM_MINTED = 96

/** How many codes from these networks were sent. */
const sentFromMinted = (customerId: number) =>
  passedFrom(customerId, 2000, Arr.makeBy(FROM_MINTED, networkOfTwelve))

const refusalOf = Effect.fnUntraced(function* (customerId: number, ip: string) {
  const { send: sendCode } = yield* Verifications
  const refused = yield* Effect.flip(sendCode({ customerId, phone: phoneOf(4999), client: { ip } }))
  return refused._tag === "suspected_fraud" ? refused : yield* Effect.die(refused)
})

const alarmsOf = Effect.fnUntraced(function* (customerId: number) {
  const { items } = yield* (yield* GuardRecords).alarms(customerId, { limit: 10, after: null })
  return items
})

layer(TestDatabase, { excludeTestServices: true })("budgets of unverified codes", (it) => {
  it.effect("do not refuse a network whose codes are verified, although others used up the customer's", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      yield* knownTo(customerId)
      const leaked = yield* attackedFromEverywhere(customerId, 60)
      assert.isAtMost(leaked, CUSTOMERS_BUDGET + IN_HAND)
      assert.isNull(yield* send(customerId, phoneOf(5000), { ip: "192.0.2.1" }))
      for (let n = 0; n < 10; n++) assert.isTrue(yield* verified(customerId, phoneOf(6000 + n), USERS))
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("know a network by its codes with other customers: a new customer has no history", () =>
    Effect.gen(function* () {
      yield* knownTo(yield* customerIn("record"))
      const customerId = yield* customerIn("enforcing")
      yield* attackedFromEverywhere(customerId, 60)
      assert.isTrue(yield* verified(customerId, phoneOf(6000), USERS))
      const [code] = yield* Effect.orDie(
        (yield* SqlClient.SqlClient)`select guard from verifications where customer_id = ${customerId}
          order by id desc limit 1`
      )
      assert.deepStrictEqual(code, { guard: "vouched" })
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("let pass hardly a code from networks that were minted with one code each elsewhere", () =>
    Effect.gen(function* () {
      yield* mintedWith(yield* customerIn("record"), 1)
      const customerId = yield* customerIn("enforcing")
      yield* attackedFromEverywhere(customerId, 60)
      assert.strictEqual(yield* sentFromMinted(customerId), 0)
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("bound what passes by the evidence of others, which leaves the customer's own users alone", () =>
    Effect.gen(function* () {
      yield* mintedWith(yield* customerIn("record"), 4)
      const customerId = yield* customerIn("enforcing")
      yield* knownTo(customerId)
      yield* attackedFromEverywhere(customerId, 60)
      assert.isAtMost(yield* sentFromMinted(customerId), VOUCHED_BUDGET + IN_HAND)
      for (let n = 0; n < 10; n++) assert.isTrue(yield* verified(customerId, phoneOf(6000 + n), USERS))
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("bound what passes from networks that were minted with this customer, but not by their /48", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      yield* mintedWith(customerId, 2)
      yield* attackedFromEverywhere(customerId, 60)
      const sent = yield* sentFromMinted(customerId)
      // That for known networks, and that for codes with much in common, which is not used up either.
      assert.isAtMost(sent, 2 * CUSTOMERS_BUDGET + 2 * IN_HAND)
      assert.isAtLeast(sent, 2 * CUSTOMERS_BUDGET - IN_HAND)
    }).pipe(Effect.provide(guarded()))
  )

  it.effect(
    "let all known networks of a mobile operator's /48 pass that the customer's budget has room for",
    () =>
      Effect.gen(function* () {
        const customerId = yield* customerIn("enforcing")
        yield* mintedWith(customerId, 2)
        yield* Effect.orDie((yield* GuardRecords).save(customerId, { unverifiedHour: 40 }, null))
        yield* attackedFromEverywhere(customerId, 60)
        assert.strictEqual(yield* passedFrom(customerId, 2000, Arr.makeBy(36, networkOfTwelve)), 36)
      }).pipe(Effect.provide(guarded()))
  )

  it.effect("count a /64 that verified once by itself, however much its /48 has in common", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      const own = "2001:db8:0:ffff::1"
      assert.isTrue(yield* verified(customerId, phoneOf(0), own))
      yield* judged
      // A /48 and two addresses use up what is for codes with much in common.
      const both = Arr.makeBy(60, (n) => [newNetwork(n), n % 2 === 0 ? ATTACKER : "198.51.100.9"])
      yield* passedFrom(customerId, 2000, both.flat())
      assert.isNull(yield* send(customerId, phoneOf(4000), { ip: ATTACKER }))
      assert.isNotNull(yield* send(customerId, phoneOf(4001), { ip: own }))
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("are not closed to others by a /48 with a new /64 for each code, which is a segment then", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      const leaked = yield* passedFrom(customerId, 2000, Arr.makeBy(100, newNetwork))
      assert.isAtMost(leaked, NETWORKS_BUDGET + IN_HAND)
      assert.strictEqual(yield* passedFrom(customerId, 5000, Arr.makeBy(15, stranger)), 15)
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("never stop a /64 that verified because of its /48", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      const own = "2001:db8:0:ffff::1"
      assert.isTrue(yield* verified(customerId, phoneOf(0), own))
      yield* judged
      yield* passedFrom(customerId, 2000, Arr.makeBy(60, newNetwork))
      assert.isNull(yield* send(customerId, phoneOf(3000), { ip: "2001:db8:0:fffe::1" }))
      assert.isNotNull(yield* send(customerId, phoneOf(3001), { ip: own }))
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("have none for a /48 with one attacking /64: its other users pass", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      yield* passedFrom(customerId, 2000, Arr.replicate("2001:db8:0:1::1", 60))
      assert.isNull(yield* send(customerId, phoneOf(3000), { ip: "2001:db8:0:1::1" }))
      assert.isNotNull(yield* send(customerId, phoneOf(3001), { ip: "2001:db8:0:2::1" }))
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("are not closed to others by the requests of two addresses", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      yield* passedFrom(
        customerId,
        0,
        Arr.makeBy(60, (n) => (n % 2 === 0 ? ATTACKER : "198.51.100.9"))
      )
      assert.strictEqual(yield* passedFrom(customerId, 5000, Arr.makeBy(20, stranger)), 20)
      const refused = yield* refusalOf(customerId, ATTACKER)
      assert.strictEqual(refused.retryAfterSeconds, 3600)
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("are closed to unknown networks by an attack from everywhere, until the time that is said", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      yield* attackedFromEverywhere(customerId, 60)
      yield* TestClock.adjust("10 minutes")
      const { retryAfterSeconds } = yield* refusalOf(customerId, "192.0.2.1")
      assert.strictEqual(retryAfterSeconds, 3000)
      yield* TestClock.adjust(Duration.seconds(retryAfterSeconds - 1))
      assert.strictEqual((yield* refusalOf(customerId, "192.0.2.1")).retryAfterSeconds, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* passedFrom(customerId, 5000, Arr.makeBy(20, stranger)), 20)
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("bound a network that was known, once an attack comes from it", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      yield* knownTo(customerId)
      yield* attackedFromEverywhere(customerId, 60)
      const leaked = yield* passedFrom(customerId, 7000, Arr.replicate(USERS, 60))
      assert.isAtMost(leaked, NETWORKS_BUDGET + IN_HAND)
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("are not used up by codes to a bombed phone, which are refused", () =>
    Effect.gen(function* () {
      const victim = "09127654321"
      for (let n = 0; n < 4; n++) assert.isNotNull(yield* send(yield* customerIn("enforcing"), victim))
      const customerId = yield* customerIn("enforcing")
      for (let n = 0; n < 2 * CUSTOMERS_BUDGET; n++) assert.isNull(yield* send(customerId, victim))
      assert.isNotNull(yield* send(customerId, phoneOf(1), { ip: "192.0.2.1" }))
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("are not used up by requests that a limit refuses", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      for (let n = 0; n < 2 * CUSTOMERS_BUDGET; n++) yield* send(customerId, phoneOf(0), { ip: USERS })
      for (let n = 1; n <= 10; n++) assert.isNotNull(yield* send(customerId, phoneOf(n), { ip: USERS }))
    }).pipe(Effect.provide(guarded(Guard.layer, { phoneHourLimit: 3 })))
  )

  it.effect("are not used up by requests that the wallet cannot pay", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing", ["bale"])
      const { send: sendCode } = yield* Verifications
      const sql = yield* SqlClient.SqlClient
      yield* Effect.orDie(sql`update wallets set balance = 0 where customer_id = ${customerId}`)
      for (let n = 0; n < 2 * CUSTOMERS_BUDGET; n++) {
        const client = { ip: USERS }
        const refused = yield* Effect.flip(sendCode({ customerId, phone: phoneOf(1000 + n), client }))
        assert.strictEqual(refused._tag, "insufficient_balance")
      }
      yield* Effect.orDie((yield* Wallets).topUp(customerId, 1_000_000))
      for (let n = 0; n < 10; n++) assert.isNotNull(yield* send(customerId, phoneOf(n), { ip: USERS }))
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("are not used up by requests that are answered from an earlier one", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      const verifications = yield* Verifications
      const request = { customerId, phone: phoneOf(0), idempotency: { key: "again", body: {} } }
      for (let n = 0; n < 2 * CUSTOMERS_BUDGET; n++) {
        assert.strictEqual((yield* verifications.send(request)).replayed, n > 0)
      }
      const neighbour = (n: number) => `${phoneOf(0).slice(0, -4)}${1000 + n}`
      for (let n = 0; n < 10; n++) assert.isNotNull(yield* send(customerId, neighbour(n)))
    }).pipe(Effect.provide(guarded()))
  )

  it.effect(
    "stay short while an attack on the whole customer goes on, although users' codes are verified",
    () =>
      Effect.gen(function* () {
        const customerId = yield* customerIn("enforcing")
        yield* knownTo(customerId)
        const timers = yield* TimerRunner
        let leaked = 0
        for (let minute = 0; minute < 90; minute++) {
          const ips = Arr.makeBy(5, (n) => `203.${minute}.${n}.1`)
          leaked += yield* passedFrom(customerId, 1000 + 5 * minute, ips)
          assert.isTrue(yield* verified(customerId, phoneOf(6000 + minute), USERS))
          yield* TestClock.adjust("1 minute")
          yield* timers.runDue
        }
        assert.isAtMost(leaked, 50)
      }).pipe(Effect.provide(guarded()))
  )

  it.effect("raise one alarm when they are used up, which ends after an hour", () =>
    Effect.gen(function* () {
      for (const mode of ["record", "enforcing"] as const) {
        const customerId = yield* customerIn(mode)
        yield* attackedFromEverywhere(customerId, 60)
        // Raised in the background.
        const alarms = yield* alarmsOf(customerId).pipe(
          Effect.repeat({ until: (raised) => raised.length > 0 })
        )
        assert.deepInclude(alarms[0], {
          kind: "customer",
          reason: "budget",
          action: "refuse",
          codes: CUSTOMERS_BUDGET,
          enforced: mode === "enforcing",
          clearedAt: null
        })
        assert.strictEqual(alarms.length, 1)
      }
      const timers = yield* TimerRunner
      yield* TestClock.adjust("61 minutes")
      yield* timers.runDue
      const sql = yield* SqlClient.SqlClient
      const open = yield* Effect.orDie(
        sql`select from guard_alarms where cleared_at is null and reason = 'budget'`
      )
      assert.strictEqual(open.length, 0)
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("grant a process no free codes again, an hour after its first code", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      assert.isNotNull(yield* send(customerId, phoneOf(900), { ip: "192.0.2.1" }))
      yield* TestClock.adjust("30 minutes")
      yield* attackedFromEverywhere(customerId, 60)
      yield* TestClock.adjust("31 minutes")
      assert.isNull(yield* send(customerId, phoneOf(5000), { ip: "192.0.3.1" }))
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("hold for two processes together, but for the first codes that each passes without asking", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.Scope
      const memory = yield* Layer.makeMemoMap
      const one = yield* Layer.buildWithMemoMap(guarded(), memory, scope)
      const other = yield* Layer.buildWithMemoMap(Layer.fresh(guarded()), memory, scope)
      const customerId = yield* Effect.provide(customerIn("enforcing"), one)
      const rush = (first: number) =>
        Effect.forEach(
          Array.from({ length: 60 }, (_, n) => first + n),
          (n) => send(customerId, phoneOf(n), { ip: `203.0.${n % 200}.1` }),
          { concurrency: 20 }
        )
      const sent = yield* Effect.all([Effect.provide(rush(1), one), Effect.provide(rush(101), other)], {
        concurrency: "unbounded"
      })
      const leaked = sent.flat().filter((id) => id !== null).length
      assert.isAtLeast(leaked, CUSTOMERS_BUDGET)
      assert.isAtMost(leaked, CUSTOMERS_BUDGET + FREE_CODES)
      const alarms = yield* Effect.provide(
        alarmsOf(customerId).pipe(Effect.repeat({ until: (raised) => raised.length > 0 })),
        one
      )
      assert.strictEqual(alarms.length, 1)
    })
  )
})
