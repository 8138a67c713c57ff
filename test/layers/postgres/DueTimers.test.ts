import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { timerKinds } from "../../../src/domain/Timer.ts"
import { dueTimers } from "../../../src/layers/postgres/DueTimersSql.ts"
import { timestamp } from "../../../src/layers/postgres/SqlRows.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const NOW = Date.parse("2026-11-26T12:00:00Z")

/** Two are due and one is not; one is due; none is. */
const addTimers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate timers`
  const add = (kind: string, secondsLate: number, isParked: boolean) => sql`
    insert into timers (customer_id, kind, subject, claimable_at, parked)
    values (1, ${kind}, ${randomUUID()}::uuid, ${timestamp(NOW - secondsLate * 1000)}, ${isParked})`
  yield* add("verification", 3, false)
  yield* add("verification", 9, true)
  yield* add("verification", -1, false)
  yield* add("webhook", 2, false)
  yield* add("message", -1, true)
})

layer(TestDatabase, { excludeTestServices: true })("due timers", (it) => {
  it.effect("are counted by kind, with the oldest of each", () =>
    Effect.gen(function* () {
      yield* addTimers
      const sql = yield* SqlClient.SqlClient
      const due = yield* dueTimers(sql, NOW)
      assert.sameMembers(
        due.map(({ kind }) => kind),
        [...timerKinds]
      )
      assert.sameDeepMembers(
        due.filter((row) => row.due > 0),
        [
          { kind: "verification", due: 2, oldestAt: NOW - 9000 },
          { kind: "webhook", due: 1, oldestAt: NOW - 2000 }
        ]
      )
      const others = due.filter((row) => row.due === 0)
      assert.isTrue(others.every(({ oldestAt }) => oldestAt === null))
    })
  )
})
