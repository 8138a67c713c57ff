import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { makeSilentConnections } from "../../../src/layers/postgres/ConnectionWatch.ts"
import { nextTurn } from "../../support/NextTurn.ts"

/** Ten ticks. */
const PATIENCE_MILLIS = 5000

/** A far end that says something only when it is asked to. */
const farEnd = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly port: number; readonly sockets: Array<Socket>; readonly close: () => void }>(
        (resolve) => {
          const sockets: Array<Socket> = []
          const server = createServer((socket) => void sockets.push(socket.on("error", () => {})))
          server.listen(0, "127.0.0.1", () => {
            const close = () => {
              for (const socket of sockets) socket.destroy()
              server.close()
            }
            resolve({ port: (server.address() as AddressInfo).port, sockets, close })
          })
        }
      )
  ),
  ({ close }) => Effect.sync(close)
)

const connected = (socket: Socket) =>
  Effect.promise(() => new Promise<void>((resolve) => void socket.once("connect", () => resolve())))

const hears = (socket: Socket, from: Socket) =>
  Effect.promise(
    () =>
      new Promise<void>((resolve) => {
        socket.once("data", () => resolve())
        from.write("x")
      })
  )

const begin = Effect.gen(function* () {
  const { port, sockets } = yield* farEnd
  const { pool, tick } = makeSilentConnections()
  const watched = pool(PATIENCE_MILLIS)
  const open = Effect.fnUntraced(function* (from = watched) {
    const socket = from.open({ port, host: "127.0.0.1" })
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
    yield* connected(socket)
    yield* nextTurn
    return socket
  })
  /** Returns how many connections were closed. */
  const ticks = (count: number) =>
    Effect.sync(() => {
      let sum = 0
      for (let time = 0; time < count; time++) sum += tick()
      return sum
    })
  return { pool, watched, open, ticks, sockets }
})

const waitForever = { startImmediately: true } as const

describe("a connection to PostgreSQL", () => {
  it.effect(
    "is closed when a statement has waited on it for its pool's patience, and nothing was heard",
    () =>
      Effect.gen(function* () {
        const { watched, open, ticks } = yield* begin
        const socket = yield* open()
        yield* Effect.forkChild(watched.during(socket, Effect.never), waitForever)
        assert.strictEqual(yield* ticks(9), 0)
        assert.isFalse(socket.destroyed)
        assert.strictEqual(yield* ticks(1), 1)
        assert.isTrue(socket.destroyed)
      })
  )

  it.effect("is kept while nothing waits for an answer, however long nothing is heard", () =>
    Effect.gen(function* () {
      const { watched, open, ticks } = yield* begin
      const socket = yield* open()
      yield* watched.during(socket, Effect.void)
      assert.strictEqual(yield* ticks(1000), 0)
      assert.isFalse(socket.destroyed)
    })
  )

  it.effect("is kept while something is heard on it", () =>
    Effect.gen(function* () {
      const { watched, open, ticks, sockets } = yield* begin
      const socket = yield* open()
      yield* Effect.forkChild(watched.during(socket, Effect.never), waitForever)
      for (let time = 0; time < 5; time++) {
        assert.strictEqual(yield* ticks(9), 0)
        yield* hears(socket, sockets[0] ?? socket)
        assert.strictEqual(yield* ticks(1), 0)
      }
    })
  )

  it.effect("is closed also when the statement that waited was interrupted: those behind it wait on", () =>
    Effect.gen(function* () {
      const { watched, open, ticks } = yield* begin
      const socket = yield* open()
      yield* Fiber.interrupt(yield* Effect.forkChild(watched.during(socket, Effect.never), waitForever))
      assert.strictEqual(yield* ticks(9), 0)
      assert.strictEqual(yield* ticks(1), 1)
      assert.isTrue(socket.destroyed)
    })
  )

  it.effect("is kept, idle as it is, when an interrupted statement was answered on another one", () =>
    Effect.gen(function* () {
      const { watched, open, ticks, sockets } = yield* begin
      const busy = yield* open()
      const idle = yield* open()
      yield* Fiber.interrupt(yield* Effect.forkChild(watched.during(busy, Effect.never), waitForever))
      yield* ticks(2)
      yield* hears(busy, sockets[0] ?? busy)
      assert.strictEqual(yield* ticks(100), 0)
      assert.isFalse(busy.destroyed)
      assert.isFalse(idle.destroyed)
    })
  )

  it.effect("is closed at once when it is idle and another one fell silent, if it said nothing lately", () =>
    Effect.gen(function* () {
      const { pool, watched, open, ticks, sockets } = yield* begin
      const other = pool(PATIENCE_MILLIS)
      const silent = yield* open()
      const idle = yield* open()
      const ofAnother = yield* open(other)
      const heard = yield* open(other)
      for (const socket of [idle, silent]) watched.established(socket)
      for (const socket of [ofAnother, heard]) other.established(socket)
      yield* Effect.forkChild(watched.during(silent, Effect.never), waitForever)
      yield* ticks(8)
      yield* hears(heard, sockets[3] ?? heard)
      assert.strictEqual(yield* ticks(2), 3)
      assert.isTrue(silent.destroyed)
      assert.isTrue(idle.destroyed)
      assert.isTrue(ofAnother.destroyed)
      assert.isFalse(heard.destroyed)
    })
  )

  it.effect("is kept while it opens, when another one fell silent: the driver limits that", () =>
    Effect.gen(function* () {
      const { watched, open, ticks } = yield* begin
      const silent = yield* open()
      watched.established(silent)
      const opening = yield* open()
      yield* Effect.forkChild(watched.during(silent, Effect.never), waitForever)
      assert.strictEqual(yield* ticks(20), 1)
      assert.isFalse(opening.destroyed)
    })
  )

  it.effect("has two seconds to say something when another one fell silent, and no older one spoke", () =>
    Effect.gen(function* () {
      const { watched, open, ticks, sockets } = yield* begin
      const silent = yield* open()
      const slow = yield* open()
      const answering = yield* open()
      const inTransaction = yield* open()
      yield* Effect.forkChild(watched.during(silent, Effect.never), waitForever)
      yield* watched.hold(inTransaction)
      yield* ticks(6)
      for (const socket of [slow, answering])
        yield* Effect.forkChild(watched.during(socket, Effect.never), waitForever)
      assert.strictEqual(yield* ticks(4), 1)
      assert.isTrue(silent.destroyed)
      yield* hears(answering, sockets[2] ?? answering)
      assert.strictEqual(yield* ticks(3), 0)
      assert.strictEqual(yield* ticks(1), 2)
      assert.isTrue(slow.destroyed)
      assert.isTrue(inTransaction.destroyed)
      assert.isFalse(answering.destroyed)
    })
  )

  it.effect("is judged by its own statement while others of its age still speak", () =>
    Effect.gen(function* () {
      const { watched, open, ticks, sockets } = yield* begin
      const silent = yield* open()
      const slow = yield* open()
      const speaking = yield* open()
      yield* Effect.forkChild(watched.during(silent, Effect.never), waitForever)
      yield* ticks(6)
      yield* Effect.forkChild(watched.during(slow, Effect.never), waitForever)
      yield* ticks(3)
      yield* hears(speaking, sockets[2] ?? speaking)
      assert.strictEqual(yield* ticks(6), 1)
      assert.isFalse(slow.destroyed)
      yield* hears(speaking, sockets[2] ?? speaking)
      assert.strictEqual(yield* ticks(1), 1)
      assert.isTrue(slow.destroyed)
      assert.isFalse(speaking.destroyed)
    })
  )

  it.effect("is not excused by one that was opened after the silence began", () =>
    Effect.gen(function* () {
      const { watched, open, ticks, sockets } = yield* begin
      const silent = yield* open()
      const slow = yield* open()
      yield* ticks(1)
      yield* Effect.forkChild(watched.during(silent, Effect.never), waitForever)
      yield* ticks(6)
      yield* Effect.forkChild(watched.during(slow, Effect.never), waitForever)
      const newer = yield* open()
      watched.established(newer)
      yield* ticks(3)
      yield* hears(newer, sockets[2] ?? newer)
      assert.strictEqual(yield* ticks(1), 1)
      assert.strictEqual(yield* ticks(4), 1)
      assert.isTrue(slow.destroyed)
      assert.isFalse(newer.destroyed)
    })
  )
})
