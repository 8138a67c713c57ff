import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import {
  BatchMetrics,
  makeBatchLane,
  takeBatch
} from "../../../src/layers/postgres/batching/StatementBatch.ts"
import { pacedBy } from "../../../src/layers/verification/VerificationStoreSql.ts"
import { noLoad } from "../../../src/services/concurrency/Workers.ts"
import { nextTurn } from "../../support/NextTurn.ts"
import { refusing, type Request, rowOf, scripted } from "./ScriptedBatch.ts"

const rows = Arbitrary.schema(
  Schema.Array(Schema.Literals(["a", "b", "c", "d"])).check(Schema.isMaxLength(40))
)
const sizes = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })))
const requestsOf = (given: ReadonlyArray<string>) => given.map((row, id): Request => ({ id, row }))

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
      const { request, turn, letGo } = yield* scripted()
      const first = yield* Effect.forkChild(request({ id: 1, row: "a" }))
      yield* turn
      const others = yield* Effect.forkChild(
        Effect.all([request({ id: 2, row: "c" }), request({ id: 3, row: "b" })], { concurrency: "unbounded" })
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
      const { statements, request, turn, letGo } = yield* scripted()
      const first = yield* Effect.forkChild(request({ id: 1, row: "a" }))
      yield* turn
      assert.deepStrictEqual(statements, [[{ id: 1, row: "a" }]])
      const others = yield* Effect.forkChild(
        Effect.all([request({ id: 2, row: "c" }), request({ id: 3, row: "b" })], { concurrency: "unbounded" })
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
      const { statements, request, turn, letGo } = yield* scripted()
      for (const id of [1, 2, 3, 4]) {
        yield* Effect.forkChild(request({ id, row: String(id) }))
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
        const { statements, request, turn, letGo } = yield* scripted()
        const client = Effect.andThen(
          request({ id: 1, row: "a" }),
          Effect.andThen(nextTurn, request({ id: 3, row: "c" }))
        )
        yield* Effect.forkChild(client)
        yield* turn
        yield* Effect.forkChild(request({ id: 2, row: "b" }))
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
        const { statements, request, letGo } = yield* scripted(options)
        for (let id = 0; statements.length === 0; id++) {
          assert.isBelow(id, 100)
          yield* Effect.forkChild(request({ id, row: String(id) }))
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
      yield* Effect.forkChild(one.request({ id: 1, row: "a" }))
      yield* one.turn
      yield* Effect.forkChild(one.request({ id: 2, row: "b" }))
      yield* Effect.forkChild(other.request({ id: 3, row: "c" }))
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

  it.effect("begins a pace after the one before, unless it is full", () =>
    Effect.gen(function* () {
      const { request, statements, turn, letGo } = yield* scripted({ paceMillis: () => 10, flushAt: 3 })
      const ask = (...ids: ReadonlyArray<number>) =>
        Effect.andThen(
          Effect.forEach(ids, (id) => Effect.forkChild(request({ id, row: String(id) }))),
          turn
        )
      const sizes = () => statements.map((statement) => statement.length)
      yield* ask(1)
      assert.deepStrictEqual(sizes(), [1])
      yield* letGo
      yield* ask(2)
      yield* TestClock.adjust(9)
      yield* ask(3)
      assert.deepStrictEqual(sizes(), [1])
      yield* TestClock.adjust(1)
      yield* turn
      assert.deepStrictEqual(sizes(), [1, 2])
      yield* letGo
      yield* ask(4, 5, 6)
      assert.deepStrictEqual(sizes(), [1, 2, 3])
      yield* letGo
    })
  )

  it("has a pace only while many sends wait for their providers", () => {
    const load = noLoad()
    const pace = pacedBy(load)
    const paces = [0, 39, 200, 5000].map((send) => {
      load.waiting.send = send
      return pace()
    })
    assert.deepStrictEqual(paces, [0, 0, 5, 10])
  })

  it.live("is not held up by one of another lane", () =>
    Effect.gen(function* () {
      const one = yield* scripted()
      const other = yield* scripted()
      yield* Effect.forkChild(one.request({ id: 1, row: "a" }))
      yield* Effect.forkChild(other.request({ id: 2, row: "a" }))
      yield* one.turn
      assert.deepStrictEqual([one.statements.length, other.statements.length], [1, 1])
      yield* Effect.andThen(one.letGo, other.letGo)
    })
  )

  it.live("is shared by requests of one turn", () =>
    Effect.gen(function* () {
      const { request, statements } = yield* refusing(() => undefined)
      const ids = [1, 2, 3, 4]
      const answers = yield* Effect.forEach(ids, (id) => request({ id, row: "" }), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers, ids)
      assert.strictEqual(statements.length, 1)
    })
  )
})
