import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  type BatchClients,
  BatchMetrics,
  BatchPatience,
  makeBatchLane,
  makeStatementBatch,
  takeBatch
} from "../../../src/layers/postgres/batching/StatementBatch.ts"
import { nextTurn } from "../../support/NextTurn.ts"

const clients = { together: "together", alone: "alone" }

interface Request {
  readonly id: number
  readonly row: string
}

const rowOf = ({ row }: Request) => [row]
const rows = Arbitrary.schema(
  Schema.Array(Schema.Literals(["a", "b", "c", "d"])).check(Schema.isMaxLength(40))
)
const sizes = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })))
const requestsOf = (given: ReadonlyArray<string>) => given.map((row, id): Request => ({ id, row }))

/** Statements that are under way until they are let go; what each was made of is kept. */
const scripted = Effect.fnUntraced(function* ({
  endsTogether = false,
  ...options
}: Pick<BatchClients, "lane" | "flushAt"> & { readonly endsTogether?: boolean } = {}) {
  const statements: Array<ReadonlyArray<Request>> = []
  const gates: Array<Deferred.Deferred<void>> = []
  const ask = yield* makeStatementBatch<string, Request, string>(
    { ...clients, ...options },
    {
      name: "accept",
      endsTogether,
      conflictsOf: rowOf,
      orderOf: ({ row }) => row,
      run: (_, batch) =>
        Effect.gen(function* () {
          statements.push(batch)
          const gate = yield* Deferred.make<void>()
          gates.push(gate)
          yield* Deferred.await(gate)
          return batch.map(({ id }) => `answer ${id}`)
        })
    }
  )
  // Forked fibers begin, and then batches, each in a turn of the event loop.
  const turn = Effect.repeat(nextTurn, { times: 5 })
  const letGo = Effect.suspend(() =>
    Effect.andThen(
      Effect.forEach(gates, (gate) => Deferred.succeed(gate, undefined)),
      turn
    )
  )
  return { statements, ask, turn, letGo }
})

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

const refusing = (
  refuses: (batch: ReadonlyArray<Request>, client: string) => SqlError.SqlError | undefined
) => {
  const statements: Array<ReadonlyArray<Request>> = []
  return Effect.map(
    makeStatementBatch<string, Request, number>(clients, {
      name: "accept",
      conflictsOf: () => [],
      orderOf: () => "",
      run: (client, batch) =>
        Effect.suspend(() => {
          statements.push(batch)
          const error = refuses(batch, client)
          return error === undefined ? Effect.succeed(batch.map(({ id }) => id)) : Effect.fail(error)
        })
    }),
    (ask) => ({ ask, statements })
  )
}

describe("a batch", () => {
  it.prop(
    "never has two requests in it that conflict, nor more than fit",
    [rows, sizes],
    ([given, maxSize]) => {
      const [batch] = takeBatch(requestsOf(given), rowOf, maxSize)
      assert.strictEqual(new Set(batch.map(({ row }) => row)).size, batch.length)
      assert.isAtMost(batch.length, maxSize)
    }
  )

  it.prop("loses nobody, and has at least one where anybody waits", [rows, sizes], ([given, maxSize]) => {
    const waiting = requestsOf(given)
    const [batch, left] = takeBatch(waiting, rowOf, maxSize)
    assert.sameMembers([...batch, ...left], waiting)
    assert.strictEqual(batch.length > 0, waiting.length > 0)
  })

  it.prop("serves those that conflict in the order in which they came", [rows], ([given]) => {
    const served: Array<Request> = []
    let waiting: ReadonlyArray<Request> = requestsOf(given)
    while (waiting.length > 0) {
      const [batch, left] = takeBatch(waiting, rowOf, 3)
      served.push(...batch)
      waiting = left
    }
    for (const row of ["a", "b", "c", "d"]) {
      const ids = served.filter((request) => request.row === row).map(({ id }) => id)
      assert.deepStrictEqual(
        ids,
        ids.toSorted((one, other) => one - other)
      )
    }
  })
})

describe("a batched statement", () => {
  it.live("counts how many wait for it, and how many each was made for", () => {
    const made: Array<number> = []
    let waiting = () => 0
    const watch = (_: string, read: () => number) => {
      waiting = read
      return (requests: number) => void made.push(requests)
    }
    return Effect.gen(function* () {
      const { ask, turn, letGo } = yield* scripted()
      const first = yield* Effect.forkChild(ask({ id: 1, row: "a" }))
      yield* turn
      const others = yield* Effect.forkChild(
        Effect.all([ask({ id: 2, row: "c" }), ask({ id: 3, row: "b" })], { concurrency: "unbounded" })
      )
      yield* turn
      assert.deepStrictEqual([waiting(), made], [2, [1]])
      yield* letGo
      yield* turn
      assert.deepStrictEqual([waiting(), made], [0, [1, 2]])
      yield* letGo
      yield* Fiber.join(first)
      yield* Fiber.join(others)
    }).pipe(Effect.provideService(BatchMetrics, { watch }))
  })

  it.live("is made at once when nothing is under way, and gathers what comes while one is", () =>
    Effect.gen(function* () {
      const { statements, ask, turn, letGo } = yield* scripted()
      const first = yield* Effect.forkChild(ask({ id: 1, row: "a" }))
      yield* turn
      assert.deepStrictEqual(statements, [[{ id: 1, row: "a" }]])
      const others = yield* Effect.forkChild(
        Effect.all([ask({ id: 2, row: "c" }), ask({ id: 3, row: "b" })], { concurrency: "unbounded" })
      )
      yield* turn
      assert.strictEqual(statements.length, 1)
      yield* letGo
      assert.strictEqual(yield* Fiber.join(first), "answer 1")
      yield* turn
      yield* letGo
      assert.deepStrictEqual(yield* Fiber.join(others), ["answer 2", "answer 3"])
      // in the order of their rows
      assert.deepStrictEqual(statements[1], [
        { id: 3, row: "b" },
        { id: 2, row: "c" }
      ])
    })
  )

  it.live("waits for as long as each turn of the event loop brings one more", () =>
    Effect.gen(function* () {
      const { statements, ask, turn, letGo } = yield* scripted()
      for (const id of [1, 2, 3, 4]) {
        yield* Effect.forkChild(ask({ id, row: String(id) }))
        yield* nextTurn
        assert.deepStrictEqual(statements, [])
      }
      yield* turn
      assert.deepStrictEqual(
        statements.map((statement) => statement.map(({ id }) => id)),
        [[1, 2, 3, 4]]
      )
      yield* letGo
    })
  )

  it.live(
    "gathers what is asked a turn after the responses of the last, as clients do that waited for them",
    () =>
      Effect.gen(function* () {
        const { statements, ask, turn, letGo } = yield* scripted()
        const client = Effect.andThen(
          ask({ id: 1, row: "a" }),
          Effect.andThen(nextTurn, ask({ id: 3, row: "c" }))
        )
        yield* Effect.forkChild(client)
        yield* turn
        yield* Effect.forkChild(ask({ id: 2, row: "b" }))
        yield* turn
        yield* letGo
        assert.deepStrictEqual(
          statements.map((statement) => statement.map(({ id }) => id)),
          [[1], [2, 3]]
        )
        yield* letGo
      })
  )

  for (const [options, size] of [
    [{}, 64],
    [{ flushAt: 24 }, 24]
  ] as const) {
    it.live(`waits for no further request once it has ${size}, whatever each turn brings`, () =>
      Effect.gen(function* () {
        const { statements, ask, letGo } = yield* scripted(options)
        for (let id = 0; statements.length === 0; id++) {
          assert.isBelow(id, 100)
          yield* Effect.forkChild(ask({ id, row: String(id) }))
          yield* nextTurn
        }
        assert.strictEqual(statements[0]?.length, size)
        yield* letGo
      })
    )
  }

  it.live("takes turns with those of other kinds in its lane", () =>
    Effect.gen(function* () {
      const lane = makeBatchLane()
      const one = yield* scripted({ lane })
      const other = yield* scripted({ lane })
      yield* Effect.forkChild(one.ask({ id: 1, row: "a" }))
      yield* one.turn
      yield* Effect.forkChild(one.ask({ id: 2, row: "b" }))
      yield* Effect.forkChild(other.ask({ id: 3, row: "c" }))
      yield* one.turn
      const counts = () => [one.statements.length, other.statements.length]
      assert.deepStrictEqual(counts(), [1, 0])
      yield* one.letGo
      assert.include(["2,0", "1,1"], counts().join())
      yield* Effect.andThen(one.letGo, other.letGo)
      assert.deepStrictEqual(counts(), [2, 1])
      yield* Effect.andThen(one.letGo, other.letGo)
    })
  )

  it.live("is not held up by one of another lane", () =>
    Effect.gen(function* () {
      const one = yield* scripted()
      const other = yield* scripted()
      yield* Effect.forkChild(one.ask({ id: 1, row: "a" }))
      yield* Effect.forkChild(other.ask({ id: 2, row: "a" }))
      yield* one.turn
      assert.deepStrictEqual([one.statements.length, other.statements.length], [1, 1])
      yield* Effect.andThen(one.letGo, other.letGo)
    })
  )

  it.live("is shared by requests of one turn", () =>
    Effect.gen(function* () {
      const { ask, statements } = yield* refusing(() => undefined)
      const ids = [1, 2, 3, 4]
      const answers = yield* Effect.forEach(ids, (id) => ask({ id, row: "" }), { concurrency: "unbounded" })
      assert.deepStrictEqual(answers, ids)
      assert.strictEqual(statements.length, 1)
    })
  )

  it.live("that one request breaks answers the others all the same", () =>
    Effect.gen(function* () {
      const broken = new SqlError.SqlError({ reason: new SqlError.ConstraintError({ cause: "no" }) })
      const { ask } = yield* refusing((batch) => (batch.some(({ id }) => id === 2) ? broken : undefined))
      const exits = yield* Effect.forEach([1, 2, 3], (id) => Effect.exit(ask({ id, row: "" })), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
    })
  )

  it.live("is not repeated for each request when the store cannot be reached", () =>
    Effect.gen(function* () {
      const gone = new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: "no" }) })
      const { ask, statements } = yield* refusing(() => gone)
      const exits = yield* Effect.forEach([1, 2, 3], (id) => Effect.exit(ask({ id, row: "" })), {
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
      const ask = yield* makeStatementBatch<string, Request, number>(clients, {
        name: "accept",
        endsTogether,
        conflictsOf: () => [],
        orderOf: () => "",
        run: () => Effect.suspend(() => ((made += 1), Deferred.await(gate)))
      })
      const begin = (id: number) =>
        Effect.tap(Effect.forkChild(ask({ id, row: "" })), () => Effect.repeat(nextTurn, { times: 5 }))
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
      const { ask, statements } = yield* refusing((_, client) => (client === "together" ? locked : undefined))
      const ids = [1, 2, 3]
      const answers = yield* Effect.forEach(ids, (id) => ask({ id, row: "" }), { concurrency: "unbounded" })
      assert.deepStrictEqual(answers, ids)
      assert.deepStrictEqual(
        statements.map((batch) => batch.length),
        [3, 1, 1, 1]
      )
    })
  )

  it.live("that throws is a failure of its requests, and the next is made all the same", () =>
    Effect.gen(function* () {
      const { ask } = yield* refusing((batch) => {
        if (batch.some(({ id }) => id === 1)) throw new Error("a bug")
        return undefined
      })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(ask({ id: 1, row: "" }))))
      assert.strictEqual(yield* ask({ id: 2, row: "" }), 2)
    })
  )
})

describe("a request of a batch", () => {
  const ask = (endsTogether: boolean) =>
    Effect.gen(function* () {
      const { patience, tick } = patienceOf(3)
      const batch = yield* Effect.provideService(scripted({ endsTogether }), BatchPatience, patience)
      const begin = (id: number) =>
        Effect.tap(Effect.forkChild(Effect.exit(batch.ask({ id, row: "a" }))), () => batch.turn)
      return { ...batch, tick, begin }
    })
  const isLate = (exit: Exit.Exit<string>) =>
    Exit.isFailure(exit) &&
    exit.cause.reasons.some((reason) => reason._tag === "Die" && SqlError.isSqlError(reason.defect))

  it.effect("waits no longer than one statement may, although others are before it", () =>
    Effect.gen(function* () {
      const { begin, tick, statements, letGo } = yield* ask(true)
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
      const { begin, tick, statements, letGo } = yield* ask(false)
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
