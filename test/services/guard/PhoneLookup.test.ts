import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { idAt } from "../../../src/domain/Paging.ts"
import { Phone } from "../../../src/domain/Phone.ts"
import { PhoneRecordsSql } from "../../../src/layers/activity/PhoneRecordsSql.ts"
import { PhoneErasureStoreSql } from "../../../src/layers/retention/PhoneErasureStoreSql.ts"
import { GuardRecords } from "../../../src/services/guard/GuardRecords.ts"
import { PhoneErasureStore } from "../../../src/services/PhoneErasures.ts"
import { type PhoneLookup, PhoneRecords } from "../../../src/services/PhoneRecords.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { customerIn, guarded, send, verified } from "./GuardedCustomer.ts"

/** A process, with what reads phones next to it. */
const process = () => Layer.merge(PhoneRecordsSql, PhoneErasureStoreSql).pipe(Layer.provideMerge(guarded()))

const PHONE = Phone.make("+989127654321")
const HOUR = 3_600_000

const NOTHING: PhoneLookup = {
  codes24h: 0,
  verifiedRate: null,
  firstSeen: null,
  lastVerifiedAt: null,
  isBombed: false,
  listed: null
}

const lookUp = (customerId: number, mode: "live" | "test" = "live") =>
  PhoneRecords.use((phones) => phones.lookUp(customerId, mode, PHONE))

layer(TestDatabase, { excludeTestServices: true })("a lookup of a phone", (it) => {
  it.effect("counts a customer's own codes, of a day and of 90 days", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      assert.deepStrictEqual(yield* lookUp(customerId), NOTHING)
      assert.isTrue(yield* verified(customerId, PHONE, "5.5.5.5"))
      yield* send(customerId, PHONE)
      const open = { codes24h: 2, verifiedRate: 1, firstSeen: 0, lastVerifiedAt: 0 }
      assert.deepStrictEqual(yield* lookUp(customerId), { ...NOTHING, ...open })
      // the second one has ended when its time is over, also before a timer says so
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* lookUp(customerId), { ...NOTHING, ...open, verifiedRate: 0.5 })
      yield* TestClock.setTime(24 * HOUR)
      yield* send(customerId, PHONE)
      assert.deepStrictEqual(yield* lookUp(customerId), {
        ...NOTHING,
        ...open,
        codes24h: 1,
        verifiedRate: 0.5
      })
    }).pipe(Effect.provide(process()))
  )

  it.effect("counts no code of more than 90 days", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(100 * 24 * HOUR)
      const customerId = yield* customerIn("record")
      assert.isTrue(yield* verified(customerId, PHONE, "5.5.5.5"))
      assert.strictEqual((yield* lookUp(customerId)).verifiedRate, 1)
      const sql = yield* SqlClient.SqlClient
      const then = 9 * 24 * HOUR
      yield* sql`update verifications set id = ${idAt(then)}::uuid, created_at = ${new Date(then)}
        where customer_id = ${customerId}`
      assert.deepStrictEqual(yield* lookUp(customerId), { ...NOTHING, firstSeen: then })
    }).pipe(Effect.provide(process()))
  )

  it.effect("says nothing of what six other customers did, until the guard refused this one", () =>
    Effect.gen(function* () {
      const others: Array<number> = []
      for (let n = 0; n < 6; n++) others.push(yield* customerIn("record"))
      const customerId = yield* customerIn("enforcing")
      for (const other of others) {
        for (let n = 0; n < 3; n++) assert.isNotNull(yield* send(other, PHONE))
        yield* Effect.orDie((yield* GuardRecords).add(other, "deny", { type: "phone", value: PHONE }))
      }
      assert.deepStrictEqual(yield* lookUp(customerId), NOTHING)
      assert.deepStrictEqual(yield* lookUp(customerId, "test"), NOTHING)

      assert.isNull(yield* send(customerId, PHONE))
      assert.deepStrictEqual(yield* lookUp(customerId), { ...NOTHING, isBombed: true })
      assert.deepStrictEqual(yield* lookUp(customerId, "test"), NOTHING)
      // nobody refused the others
      for (const other of others) assert.isFalse((yield* lookUp(other)).isBombed)
      // the alarm names more phones than this one: a number that differs in the hidden digits is not bombed
      const near = yield* PhoneRecords.use((phones) =>
        phones.lookUp(customerId, "live", Phone.make("+989120004321"))
      )
      assert.deepStrictEqual(near, NOTHING)
      yield* TestClock.setTime(24 * HOUR)
      assert.deepStrictEqual(yield* lookUp(customerId), NOTHING)
    }).pipe(Effect.provide(process()))
  )

  it.effect("knows nothing after an erasure", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      assert.isTrue(yield* verified(customerId, PHONE, "5.5.5.5"))
      for (let n = 0; n < 5; n++) yield* send(yield* customerIn("record"), PHONE)
      const stranger = yield* customerIn("enforcing")
      assert.isNull(yield* send(stranger, PHONE))
      const erasures = yield* PhoneErasureStore
      for (const id of [customerId, stranger]) {
        assert.notDeepEqual(yield* lookUp(id), NOTHING)
        yield* erasures.erase(id, PHONE)
        assert.deepStrictEqual(yield* lookUp(id), NOTHING)
      }
    }).pipe(Effect.provide(process()))
  )

  it.effect("names the list that has it, the deny list first", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      const { add } = yield* GuardRecords
      yield* Effect.orDie(add(customerId, "allow", { type: "ip", value: "10.0.0.0/8" }))
      assert.isNull((yield* lookUp(customerId)).listed)
      yield* Effect.orDie(add(customerId, "allow", { type: "prefix", value: "+98912765" }))
      assert.strictEqual((yield* lookUp(customerId)).listed, "allow")
      yield* Effect.orDie(add(customerId, "deny", { type: "phone", value: PHONE }))
      assert.strictEqual((yield* lookUp(customerId)).listed, "deny")
      assert.isNull((yield* lookUp(customerId, "test")).listed)
    }).pipe(Effect.provide(process()))
  )
})
