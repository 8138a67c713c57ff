import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import { TestClock } from "effect/testing"
import { inject } from "vitest"
import { makeSilentConnections } from "../../../src/layers/postgres/ConnectionWatch.ts"
import { makeWatchedSql } from "../../../src/layers/postgres/WatchedSql.ts"
import { silentProxy } from "../../process/store/SilentProxy.ts"
import { nextTurn } from "../../support/NextTurn.ts"

const TICKS = 10
const PATIENCE_MILLIS = TICKS * 500

/** A pool behind a proxy. Time passes by `ticks` only. */
const behindProxy = Effect.suspend(() => behindProxyWith(60_000))

const behindProxyWith = Effect.fnUntraced(function* (patience: number) {
  const proxy = yield* Effect.acquireRelease(
    Effect.promise(() => silentProxy(`${inject("postgresSocketDirectory")}/.s.PGSQL.5432`)),
    ({ close }) => Effect.sync(close)
  )
  const { pool, tick, closed } = makeSilentConnections()
  const config = {
    host: "127.0.0.1",
    port: proxy.port,
    username: "postgres",
    password: Redacted.make(inject("postgresPassword")),
    database: "postgres",
    maxConnections: 2,
    multiplex: true,
    multiplexConcurrency: 1
  }
  const { sql } = yield* Effect.provide(
    makeWatchedSql(config, pool(PATIENCE_MILLIS), patience),
    Reactivity.layer
  )
  const ticks = (count: number) =>
    Effect.sync(() => {
      for (let time = 0; time < count; time++) tick()
    })
  const backend = sql<{ readonly pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.05)`.pipe(
    Effect.map(([row]) => row?.pid ?? 0)
  )
  /** The backends of both connections, once both are open: statements at the same time take one each. */
  const backends = Effect.all([backend, backend], { concurrency: 2 }).pipe(
    Effect.repeat({ until: ([one, other]) => one !== other }),
    Effect.map((pids) => pids.sort())
  )
  return { proxy, sql, ticks, closed, backends }
})

/** Begins a statement with this in it, and returns once PostgreSQL runs it. */
const begin = Effect.fnUntraced(function* (
  { sql, proxy }: Effect.Success<typeof behindProxy>,
  text: string,
  seconds: number
) {
  const fiber = yield* Effect.forkChild(sql.unsafe(`select '${text}', pg_sleep(${seconds})`), {
    startImmediately: true
  })
  while (proxy.seen(text) === 0) yield* Effect.sleep("5 millis")
  return fiber
})

it.live("an idle connection is kept when a statement was interrupted and answered on another one", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const pool = yield* behindProxy
      const before = yield* pool.backends
      yield* pool.ticks(1)
      yield* Fiber.interrupt(yield* begin(pool, "hung up", 0.1))
      assert.deepStrictEqual(yield* pool.backends, before)
      yield* pool.ticks(3 * TICKS)
      assert.strictEqual(pool.closed(), 0)
      assert.deepStrictEqual(yield* pool.backends, before)
    })
  )
)

it.live("of two connections only the silent one is closed, also when it was reserved for a transaction", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const pool = yield* behindProxy
      const before = yield* pool.backends
      yield* pool.ticks(1)
      const inTransaction = yield* Effect.forkChild(
        pool.sql.withTransaction(pool.sql`select 'in silence', pg_sleep(600)`)
      )
      while (pool.proxy.seen("in silence") === 0) yield* Effect.sleep("5 millis")
      pool.proxy.silence("in silence")
      yield* pool.ticks(TICKS - 1)
      yield* pool.sql`select 1`
      yield* pool.ticks(2)
      assert.strictEqual(pool.closed(), 1)
      assert.strictEqual((yield* Fiber.await(inTransaction))._tag, "Failure")
      yield* pool.ticks(TICKS)
      assert.strictEqual(pool.closed(), 1)
      const after = yield* pool.backends
      assert.strictEqual(after.filter((pid) => before.includes(pid)).length, 1)
    })
  )
)

const CONNECT_MILLIS = 5000

it.effect("a statement does not wait longer for connections that are being opened than for any other", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { proxy, sql } = yield* behindProxyWith(CONNECT_MILLIS / 5)
      proxy.silenceNew()
      const ask = Effect.forkChild(Effect.flip(sql`select 1`), { startImmediately: true })
      const first = yield* ask
      while (proxy.seen() === 0) yield* nextTurn
      const statements = [first, yield* ask]
      yield* TestClock.adjust(CONNECT_MILLIS / 5)
      const errors = yield* Effect.all(statements.map(Fiber.join))
      assert.deepStrictEqual(
        errors.map(({ reason }) => reason.message),
        errors.map(() => "no connection to PostgreSQL was free in time")
      )
    })
  )
)

it.live(
  "a statement that waited for its connection ends in time, although PostgreSQL cannot be reached to cancel it",
  () =>
    Effect.scoped(
      Effect.gen(function* () {
        const pool = yield* behindProxyWith(400)
        const first = yield* begin(pool, "the first", 600)
        const second = yield* begin(pool, "the second", 600)
        const begunAt = performance.now()
        pool.proxy.silenceNew()
        const error = yield* Effect.flip(pool.sql`select 1`)
        assert.strictEqual(error.reason.message, "no connection to PostgreSQL was free in time")
        assert.isBelow(performance.now() - begunAt, 2000)
        for (const fiber of [first, second]) fiber.interruptUnsafe()
      })
    )
)

it.live("a statement that waited for a connection has its usual time once PostgreSQL responds again", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const pool = yield* behindProxy
      yield* pool.backends
      const silent = yield* begin(pool, "in silence", 600)
      pool.proxy.silence("in silence")
      // The other connection is closed too, because nothing is heard on it: it was idle.
      yield* pool.ticks(TICKS + 1)
      yield* Fiber.await(silent)
      yield* nextTurn
      assert.strictEqual(pool.closed(), 2)
      assert.deepStrictEqual(yield* pool.sql`select 1 as one, pg_sleep(1)::text as slept`, [
        { one: 1, slept: "" }
      ])
    })
  )
)

it.live("a statement waits for a connection only briefly while PostgreSQL is known to be silent", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const pool = yield* behindProxy
      const silent = yield* begin(pool, "in silence", 600)
      pool.proxy.silence()
      pool.proxy.silenceNew()
      yield* pool.ticks(TICKS + 1)
      yield* Fiber.await(silent)
      const begunAt = performance.now()
      yield* Effect.flip(pool.sql`select 1`)
      assert.isBelow(performance.now() - begunAt, 2000)
      pool.proxy.release()
      yield* Effect.retry(pool.sql`select 1`, { schedule: Schedule.spaced("200 millis") })
      yield* pool.ticks(1)
      assert.deepStrictEqual(yield* pool.sql`select 2 as two`, [{ two: 2 }])
    })
  )
)
