import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MAX_ENTRIES } from "../../../src/domain/guard/GuardSettings.ts"
import { newCustomerState } from "../../../src/domain/guard/CustomerState.ts"
import { Guard, GuardCeiling } from "../../../src/services/guard/Guard.ts"
import { GuardStore } from "../../../src/services/guard/GuardStore.ts"
import { GuardRecords } from "../../../src/services/guard/GuardRecords.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { customerIn, guarded, passedFrom, phoneOf, send, verified } from "./GuardedCustomer.ts"

const ATTACKER = "203.0.113.7"

/** They arrive together: their sends are one statement. */
const AT_ONCE = { concurrency: "unbounded" } as const

/** Three codes a minute of an attacker, and as many of users, for so many minutes. */
const attacked = Effect.fnUntraced(function* (customerId: number, minutes: number) {
  const timers = yield* TimerRunner
  const counts = { leaked: 0, refusedUsers: 0 }
  for (let minute = 0; minute < minutes; minute++) {
    const numbers = [3 * minute, 3 * minute + 1, 3 * minute + 2]
    const users = Effect.forEach(numbers, (n) => verified(customerId, phoneOf(n), `10.${n}.0.1`), AT_ONCE)
    const attacker = passedFrom(customerId, 1000 + 3 * minute, [ATTACKER, ATTACKER, ATTACKER])
    const [isUser, leaked] = yield* Effect.all([users, attacker], AT_ONCE)
    counts.refusedUsers += isUser.filter((passed) => !passed).length
    counts.leaked += leaked
    yield* TestClock.adjust("1 minute")
    yield* timers.runDue
  }
  return counts
})

/** Four customers send to a phone. A customer that does so four minutes later is the fifth. */
const bombed = Effect.fnUntraced(function* (phone: string) {
  for (let n = 0; n < 4; n++) assert.isNotNull(yield* send(yield* customerIn("enforcing"), phone))
  const customerId = yield* customerIn("enforcing")
  yield* TestClock.adjust("4 minutes")
  return customerId
})

layer(TestDatabase, { excludeTestServices: true })("the guard", (it) => {
  it.effect("blocks the network of an attack, and no user", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      const { leaked, refusedUsers } = yield* attacked(customerId, 25)
      assert.isBelow(leaked, 51)
      assert.strictEqual(refusedUsers, 0)
      const { items } = yield* (yield* GuardRecords).alarms(customerId, { limit: 10, after: null })
      assert.deepStrictEqual([...new Set(items.map(({ kind, reason }) => `${kind} ${reason}`))].sort(), [
        "network budget",
        "network unverified"
      ])
      const sql = yield* SqlClient.SqlClient
      const events = yield* Effect.orDie(sql`select type from events where type like 'guard.%'`)
      assert.isAtLeast(events.length, items.length)
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("judges no code that was sent before the operator turned it off", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      yield* send(customerId, phoneOf(1), { ip: ATTACKER })
      yield* TestClock.adjust("5 minutes")
      yield* (yield* TimerRunner).runDue
      assert.deepStrictEqual(yield* (yield* GuardRecords).days(customerId), [])
    }).pipe(Effect.provide(guarded().pipe(Layer.provide(Layer.succeed(GuardCeiling, "off")))))
  )

  it.effect("refuses nobody while it records, and counts what it would refuse", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      const { leaked, refusedUsers } = yield* attacked(customerId, 25)
      assert.deepStrictEqual([leaked, refusedUsers], [75, 0])
      yield* TestClock.adjust("5 minutes")
      yield* (yield* TimerRunner).runDue
      const [day] = yield* (yield* GuardRecords).days(customerId)
      assert.isAbove(day?.flagged ?? 0, 25)
      assert.strictEqual(day?.flaggedVerified, 0)
    }).pipe(Effect.provide(guarded()))
  )

  it.effect(
    "refuses nobody where the operator allows it to record only, and counts nothing where it is off",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const customerId = yield* customerIn("enforcing")
        for (let n = 0; n < 40; n++) assert.isNotNull(yield* send(customerId, phoneOf(n), { ip: ATTACKER }))
        assert.isAbove(
          (yield* Effect.orDie(sql`select from verifications where guard is not null`)).length,
          5
        )
      }).pipe(Effect.provide(guarded(Guard.layerRecord)))
  )

  it.effect("lets pass a phone that was verified before, a trusted client and the allow list", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      const known = phoneOf(5000)
      assert.isTrue(yield* verified(customerId, known, "5.5.5.5"))
      for (let n = 0; n < 60; n++) yield* send(customerId, phoneOf(n), { ip: ATTACKER })
      assert.isNull(yield* send(customerId, phoneOf(5001), { ip: ATTACKER }))
      assert.isNotNull(yield* send(customerId, known, { ip: ATTACKER }))
      assert.isNotNull(yield* send(customerId, phoneOf(5002), { ip: ATTACKER, trusted: true }))
      yield* Effect.orDie(
        (yield* GuardRecords).add(customerId, "allow", { type: "ip", value: "203.0.113.0/24" })
      )
      assert.isNotNull(yield* send(customerId, phoneOf(5003), { ip: ATTACKER }))
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("refuses what is on the deny list in every mode", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("off")
      const guard = yield* GuardRecords
      yield* Effect.orDie(guard.add(customerId, "deny", { type: "prefix", value: "0912 101" }))
      const refused = yield* Effect.flip((yield* Verifications).send({ customerId, phone: "09121015555" }))
      assert.strictEqual(refused._tag, "blocked_phone")
      yield* Effect.orDie(guard.remove(customerId, "deny", { type: "prefix", value: "+98912101" }))
      assert.isNotNull(yield* send(customerId, "09121015555"))
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("adds an entry that is there to full lists, but no other", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("off")
      const sql = yield* SqlClient.SqlClient
      const { add } = yield* GuardRecords
      const there = { type: "ip", value: "192.0.2.1" } as const
      yield* Effect.orDie(add(customerId, "deny", there))
      yield* sql`
        insert into guard_entries (customer_id, list, type, value, created_at)
        select ${customerId}, 'deny', 'ip', '10.0.' || n / 256 || '.' || n % 256, to_timestamp(0)
        from generate_series(1, ${MAX_ENTRIES - 1}::int) n`
      assert.strictEqual((yield* add(customerId, "deny", there)).value, there.value)
      const refused = yield* Effect.flip(add(customerId, "allow", there))
      assert.strictEqual(refused._tag, "conflict")
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("protects a phone that five customers send to, but not from one that knows it", () =>
    Effect.gen(function* () {
      const ids: Array<number> = []
      for (let n = 0; n < 6; n++) ids.push(yield* customerIn("enforcing"))
      const victim = "09127654321"
      const [first = 0, , , , fifth = 0, sixth = 0] = ids
      assert.isTrue(yield* verified(sixth, victim, "5.5.5.5"))
      for (const id of ids.slice(0, 3)) assert.isNotNull(yield* send(id, victim))
      const refused = yield* Effect.flip((yield* Verifications).send({ customerId: fifth, phone: victim }))
      assert.strictEqual(refused._tag, "too_many_requests_phone_hour")
      assert.isNull(yield* send(first, victim))
      assert.isNotNull(yield* send(sixth, victim))
      yield* TestClock.adjust("11 minutes")
      assert.isNotNull(yield* send(fifth, victim))
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("protects a bombed phone for ten minutes, however often its user tries", () =>
    Effect.gen(function* () {
      const victim = "09127654321"
      const customerId = yield* bombed(victim)
      const { send: sendCode } = yield* Verifications
      for (let minute = 6; minute > 0; minute -= 2) {
        const refused = yield* Effect.flip(sendCode({ customerId, phone: victim }))
        assert.deepInclude(refused, {
          _tag: "too_many_requests_phone_hour",
          retryAfterSeconds: minute * 60
        })
        yield* TestClock.adjust("2 minutes")
      }
      assert.isNotNull(yield* send(customerId, victim))
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("lets a bombed phone pass by the allow list, for a trusted client, and where it records", () =>
    Effect.gen(function* () {
      const victim = "09127654321"
      const customerId = yield* bombed(victim)
      assert.isNull(yield* send(customerId, victim))
      assert.isNotNull(yield* send(customerId, victim, { trusted: true }))
      assert.isNotNull(yield* send(yield* customerIn("record"), victim))
      assert.isNotNull(yield* send(yield* customerIn("off"), victim))
      yield* Effect.orDie((yield* GuardRecords).add(customerId, "allow", { type: "phone", value: victim }))
      assert.isNotNull(yield* send(customerId, victim))
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("lets a bombed phone pass for an hour after its alarm was cleared, within its limits", () =>
    Effect.gen(function* () {
      const victim = "09127654321"
      const customerId = yield* bombed(victim)
      assert.isNull(yield* send(customerId, victim))
      const records = yield* GuardRecords
      const { items } = yield* records.alarms(customerId, { limit: 10, after: null })
      assert.deepInclude(items[0], { kind: "phone", reason: "bombed", until: 10 * 60_000 })
      yield* Effect.orDie(records.clear(customerId, items[0]?.id ?? ""))
      for (let n = 0; n < 5; n++) assert.isNotNull(yield* send(customerId, victim))
      const limited = yield* Effect.flip((yield* Verifications).send({ customerId, phone: victim }))
      assert.deepInclude(limited, { _tag: "too_many_requests_phone_hour", retryAfterSeconds: 3600 })
    }).pipe(Effect.provide(guarded(Guard.layer, { phoneHourLimit: 5 })))
  )

  it.effect("grants no more than a budget, however many ask at once", () =>
    Effect.gen(function* () {
      const store = yield* GuardStore
      const request = {
        customerId: 7,
        segment: { kind: "network", key: "n" },
        codes: 4,
        budget: null,
        now: 1000
      } as const
      const granted = yield* Effect.all(
        Array.from({ length: 20 }, () => store.grant([request])),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(
        granted.flat().reduce((sum, { codes }) => sum + codes, 0),
        26
      )
      assert.deepStrictEqual(yield* store.grant([{ ...request, now: 1000 + 3_600_001 }]), [
        { codes: 4, used: 4, endsAt: 1000 + 2 * 3_600_000 + 1 }
      ])
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("counts each code once, although two processes judge it", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      for (let n = 0; n < 10; n++) yield* send(customerId, phoneOf(n))
      yield* TestClock.adjust("3 minutes")
      const timers = yield* TimerRunner
      yield* Effect.all([timers.runDue, timers.runDue], { concurrency: "unbounded" })
      yield* TestClock.adjust("1 minute")
      yield* timers.runDue
      const [day] = yield* (yield* GuardRecords).days(customerId)
      assert.strictEqual(day?.codes, 10)
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("judges a sample of very many codes, each for as many as it stands for", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      for (let n = 0; n < 400; n++) {
        yield* send(customerId, phoneOf(n))
        yield* TestClock.adjust("100 millis")
      }
      const store = yield* GuardStore
      const read = (sample: number) =>
        store.dueCodes({
          customerId,
          from: "00000000-0000-7000-8000-000000000000",
          until: 40_000,
          judgingDelayMillis: 60_000,
          sample
        })
      const weightOf = (codes: ReadonlyArray<{ readonly weight: number }>) =>
        codes.reduce((sum, { weight }) => sum + weight, 0)
      const all = yield* read(400)
      assert.deepStrictEqual([all.length, weightOf(all)], [400, 400])
      const some = yield* read(120)
      assert.strictEqual(some.length, 120)
      assert.isAbove(weightOf(some), 350)
      assert.isBelow(weightOf(some), 650)
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("writes nothing of a round whose timer another process has taken over", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      yield* send(customerId, phoneOf(1))
      const store = yield* GuardStore
      const timer = {
        kind: "guard",
        customerId,
        subject: "00000000-0000-0000-0000-000000000000",
        lane: 0,
        leaseToken: "00000000-0000-4000-8000-000000000001",
        leasedUntil: 1000
      } as const
      const saved = yield* store.save(timer, {
        customer: newCustomerState(0),
        judgedFrom: null,
        judgedUntil: "00000000-0000-7000-8000-000000000000",
        segments: new Map(),
        credits: new Map(),
        budgets: new Map(),
        raised: [],
        cleared: [],
        days: { codes: 1, verified: 0, flagged: 0, flaggedVerified: 0, flaggedSms: 0, flaggedCharges: 0 },
        enforced: false,
        nextAt: 5000,
        now: 1000
      })
      assert.isNull(saved)
      assert.deepStrictEqual(yield* (yield* GuardRecords).days(customerId), [])
    }).pipe(Effect.provide(guarded()))
  )
})
