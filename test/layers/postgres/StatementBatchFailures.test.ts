import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { makeStatementBatch } from "../../../src/layers/postgres/batching/StatementBatch.ts"
import { BatchPatience } from "../../../src/layers/postgres/WatchedPool.ts"
import { nextTurn } from "../../support/NextTurn.ts"
import { clients, refusing, type Request, scripted } from "./ScriptedBatch.ts"

/** Ticks pass when a test says so. */
const patienceOf = (ticks: number) => {
  let now = 0
  const each: Array<() => void> = []
  const tick = Effect.sync(() => {
    now += 1
    for (const giveUp of each) giveUp()
  })
  return {
    patience: { ticks, now: () => now, eachTick: (giveUp: () => void) => void each.push(giveUp) },
    tick
  }
}

describe("a batched statement", () => {
  it.live("that one request breaks answers the others all the same", () =>
    Effect.gen(function* () {
      const broken = new SqlError.SqlError({ reason: new SqlError.ConstraintError({ cause: "no" }) })
      const { request } = yield* refusing((batch) => (batch.some(({ id }) => id === 2) ? broken : undefined))
      const exits = yield* Effect.forEach([1, 2, 3], (id) => Effect.exit(request({ id, row: "" })), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
    })
  )

  it.live("is not repeated for each request when the store cannot be reached", () =>
    Effect.gen(function* () {
      const gone = new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: "no" }) })
      const { request, statements } = yield* refusing(() => gone)
      const exits = yield* Effect.forEach([1, 2, 3], (id) => Effect.exit(request({ id, row: "" })), {
        concurrency: "unbounded"
      })
      assert.isTrue(exits.every(Exit.isFailure))
      assert.strictEqual(statements.length, 1)
    })
  )

  it.effect.each([
    {
      name: "after a silence fails those that wait behind it, too",
      silence: "2 seconds",
      endsTogether: true,
      statements: 1
    },
    {
      name: "after a silence lets records that wait have their own statement",
      silence: "2 seconds",
      endsTogether: false,
      statements: 2
    },
    {
      name: "at once lets those that wait have their own statement",
      silence: "0 seconds",
      endsTogether: true,
      statements: 2
    }
  ] as const)("that cannot reach the store $name", ({ silence, endsTogether, statements }) =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<never, SqlError.SqlError>()
      let made = 0
      const request = yield* makeStatementBatch<string, Request, number>(clients, {
        name: "accept",
        endsTogether,
        conflictsOf: () => [],
        orderOf: () => "",
        run: () => Effect.suspend(() => ((made += 1), Deferred.await(gate)))
      })
      const begin = (id: number) =>
        Effect.tap(Effect.forkChild(request({ id, row: "" })), () => Effect.repeat(nextTurn, { times: 5 }))
      const asked = [yield* begin(1), yield* begin(2)]
      yield* TestClock.adjust(silence)
      yield* Deferred.fail(
        gate,
        new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: "no" }) })
      )
      const exits = yield* Effect.forEach(asked, Fiber.await)
      assert.isTrue(exits.every(Exit.isFailure))
      assert.strictEqual(made, statements)
    })
  )

  it.live("that waits too long for a row is asked for by each alone, where locks are waited for", () =>
    Effect.gen(function* () {
      const locked = new SqlError.SqlError({ reason: new SqlError.LockTimeoutError({ cause: "no" }) })
      const { request, statements } = yield* refusing((_, client) =>
        client === "batched" ? locked : undefined
      )
      const ids = [1, 2, 3]
      const answers = yield* Effect.forEach(ids, (id) => request({ id, row: "" }), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers, ids)
      assert.deepStrictEqual(
        statements.map((batch) => batch.length),
        [3, 1, 1, 1]
      )
    })
  )

  it.live("that throws is a failure of its requests, and the next is made all the same", () =>
    Effect.gen(function* () {
      const { request } = yield* refusing((batch) => {
        if (batch.some(({ id }) => id === 1)) throw new Error("a bug")
        return undefined
      })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(request({ id: 1, row: "" }))))
      assert.strictEqual(yield* request({ id: 2, row: "" }), 2)
    })
  )
})

describe("a request of a batch", () => {
  const request = (endsTogether: boolean) =>
    Effect.gen(function* () {
      const { patience, tick } = patienceOf(3)
      const batch = yield* Effect.provideService(scripted({ endsTogether }), BatchPatience, patience)
      const begin = (id: number) =>
        Effect.tap(Effect.forkChild(Effect.exit(batch.request({ id, row: "a" }))), () => batch.turn)
      return { ...batch, tick, begin }
    })
  const isLate = (exit: Exit.Exit<string>) =>
    Exit.isFailure(exit) &&
    exit.cause.reasons.some((reason) => reason._tag === "Die" && SqlError.isSqlError(reason.defect))

  it.effect("waits no longer than one statement may, although others are before it", () =>
    Effect.gen(function* () {
      const { begin, tick, statements, letGo } = yield* request(true)
      const inProgress = yield* begin(1)
      yield* tick
      const queued = yield* begin(2)
      yield* tick
      const later = yield* begin(3)
      assert.isUndefined(inProgress.pollUnsafe())
      yield* tick
      assert.isTrue(isLate(yield* Fiber.join(inProgress)))
      assert.isUndefined(queued.pollUnsafe())
      yield* tick
      assert.isTrue(isLate(yield* Fiber.join(queued)))
      assert.isUndefined(later.pollUnsafe())
      yield* letGo
      yield* letGo
      assert.deepStrictEqual(yield* Fiber.join(later), Exit.succeed("answer 3"))
      // The one that nobody waits for is not begun.
      assert.deepStrictEqual(
        statements.map((batch) => batch.map(({ id }) => id)),
        [[1], [3]]
      )
    })
  )

  it.effect("is written although nobody waits for it any more, where it records what has happened", () =>
    Effect.gen(function* () {
      const { begin, tick, statements, letGo } = yield* request(false)
      yield* begin(1)
      const queued = yield* begin(2)
      yield* Effect.repeat(tick, { times: 2 })
      assert.isTrue(isLate(yield* Fiber.join(queued)))
      yield* letGo
      assert.deepStrictEqual(
        statements.map((batch) => batch.map(({ id }) => id)),
        [[1], [2]]
      )
    })
  )
})
