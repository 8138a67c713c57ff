import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { makeSilentConnections } from "../../../src/layers/postgres/watch/SilentConnections.ts"
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
  /** Returns how many connections were closed, having begun all probes. */
  const ticks = Effect.fnUntraced(function* (count: number) {
    let sum = 0
    for (let time = 0; time < count; time++) {
      const { closed, probes } = tick()
      sum += closed
      for (const probe of probes) yield* Effect.forkChild(Effect.ignore(probe), waitForever)
    }
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

  it.effect("is probed while it is idle and another one fell silent, and kept when it answers", () =>
    Effect.gen(function* () {
      const { pool, watched, open, ticks, sockets } = yield* begin
      const other = pool(PATIENCE_MILLIS)
      const silent = yield* open()
      const answering = yield* open()
      const ofAnother = yield* open(other)
      const heard = yield* open(other)
      const probed: Array<Socket> = []
      for (const [from, socket] of [
        [watched, answering],
        [other, ofAnother],
        [other, heard]
      ] as const) {
        from.probeWith(
          socket,
          Effect.sync(() => void probed.push(socket))
        )
      }
      yield* Effect.forkChild(watched.during(silent, Effect.never), waitForever)
      yield* ticks(5)
      yield* hears(heard, sockets[3] ?? heard)
      assert.strictEqual(yield* ticks(5), 1)
      assert.isTrue(silent.destroyed)
      assert.deepStrictEqual(probed, [answering, ofAnother])
      yield* hears(answering, sockets[1] ?? answering)
      assert.strictEqual(yield* ticks(10), 1)
      assert.isFalse(answering.destroyed)
      assert.isTrue(ofAnother.destroyed)
      assert.isFalse(heard.destroyed)
    })
  )

  it.effect("is judged by its own statement, not probed, while one waits on it", () =>
    Effect.gen(function* () {
      const { watched, open, ticks } = yield* begin
      const silent = yield* open()
      const slow = yield* open()
      watched.probeWith(slow, Effect.die("it was probed"))
      yield* Effect.forkChild(watched.during(silent, Effect.never), waitForever)
      yield* ticks(6)
      yield* Effect.forkChild(watched.during(slow, Effect.never), waitForever)
      assert.strictEqual(yield* ticks(9), 1)
      assert.isFalse(slow.destroyed)
      assert.strictEqual(yield* ticks(1), 1)
      assert.isTrue(slow.destroyed)
    })
  )
})
