import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { phoneCounters } from "../../../src/layers/postgres/batching/PlatformCountsSql.ts"
import { idAt } from "../../../src/domain/Paging.ts"
import { guardCodes } from "../../../src/layers/guard/GuardCodesSql.ts"
import { codes, TODAY } from "../../support/OldRows.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const MINUTE = 60_000
const CUSTOMER = 1
const phoneOf = (nth: number) => `+98912${String(nth).padStart(7, "0")}`

/** Five customers have sent to the phone in the ten minutes until then. */
const bomb = Effect.fnUntraced(function* (phone: string, until: number, callers: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into platform_phone_counters (phone, day_ends_at, day_used, callers, callers_until)
    values (${phone}, to_timestamp(${TODAY / 1000}), 1, ${Array.from({ length: callers }, (_, n) => n + 1)}::int[],
      to_timestamp(${until / 1000}::float8))`
})

layer(TestDatabase, { excludeTestServices: true })("the codes that a round of the guard reads", (it) => {
  for (const isDistributed of [false, true]) {
    const where = isDistributed ? "in a distributed store" : "in one PostgreSQL"
    it.effect(`are marked if their phone was bombed when they were sent, and not proven, ${where}`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`delete from verifications`
        yield* sql`delete from platform_phone_counters`
        yield* codes(TODAY, 6, CUSTOMER, "expired", 0)
        yield* bomb(phoneOf(1), TODAY + MINUTE, 5)
        yield* bomb(phoneOf(2), TODAY + 11 * MINUTE, 5)
        yield* bomb(phoneOf(3), TODAY - MINUTE, 5)
        yield* bomb(phoneOf(4), TODAY + MINUTE, 4)
        yield* bomb(phoneOf(5), TODAY + MINUTE, 5)
        // the customer knows the fifth phone: it was verified there a day before
        yield* codes(TODAY - 86_400_000, 5, CUSTOMER, "verified", 0)
        yield* sql`update verifications set verified_at = created_at where status = 'verified'`
        yield* sql`update verifications set phone = ${phoneOf(5)} where status = 'verified'`
        const clients = { batched: sql, single: sql }
        const { dueCodes } = yield* guardCodes(clients, isDistributed ? yield* phoneCounters : null)
        const read = yield* dueCodes({
          customerId: CUSTOMER,
          from: idAt(TODAY - MINUTE),
          until: TODAY + MINUTE,
          judgingDelayMillis: MINUTE,
          sample: 100
        })
        assert.deepStrictEqual(
          read.map(({ phone, isBombed }) => [phone, isBombed]),
          [1, 2, 3, 4, 5, 6].map((nth) => [phoneOf(nth), nth === 1])
        )
      })
    )
  }

  it.effect("are all of them, or a sample of more, whose codes stand for the others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from verifications`
      yield* codes(TODAY, 150, CUSTOMER, "expired", 0)
      const { dueCodes, nextSentAt } = yield* guardCodes({ batched: sql, single: sql }, null)
      const read = (customerId: number, sample: number) =>
        dueCodes({
          customerId,
          from: idAt(TODAY - MINUTE),
          until: TODAY + MINUTE,
          judgingDelayMillis: MINUTE,
          sample
        })
      const [all, sample, others] = yield* Effect.all(
        [read(CUSTOMER, 150), read(CUSTOMER, 80), read(CUSTOMER + 1, 80)],
        { concurrency: 3 }
      )
      assert.lengthOf(all, 150)
      assert.deepStrictEqual(
        all.map(({ id }) => id),
        all.map(({ id }) => id).toSorted()
      )
      assert.isTrue(all.every(({ weight }) => weight === 1))
      assert.isBelow(sample.length, 81)
      assert.isAbove(Math.max(...sample.map(({ weight }) => weight)), 1)
      assert.deepStrictEqual(others, [])

      const next = yield* Effect.all(
        [
          nextSentAt(CUSTOMER, idAt(TODAY - MINUTE)),
          nextSentAt(CUSTOMER + 1, idAt(TODAY - MINUTE)),
          nextSentAt(CUSTOMER, all[9]?.id ?? "")
        ],
        { concurrency: 3 }
      )
      assert.deepStrictEqual(next.map(Option.getOrNull), [all[0]?.sentAt, null, all[10]?.sentAt])
    })
  )
})
