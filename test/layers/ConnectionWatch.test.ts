import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { makeWatch } from "../../src/layers/postgres/ConnectionWatch.ts"

/** Ten ticks. */
const PATIENCE_MILLIS = 5000

/** A far end that says something only when it is told to. */
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
  const { pool, tick } = makeWatch()
  const watched = pool(PATIENCE_MILLIS)
  const open = Effect.fnUntraced(function* (from = watched) {
    const socket = from.open({ port, host: "127.0.0.1" })
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
    yield* connected(socket)
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    return socket
  })
  const ticks = (count: number) =>
    Array.from({ length: count }, tick).reduce((sum, closed) => sum + closed, 0)
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
        yield* Effect.forkChild(watched.during(Effect.never), waitForever)
        assert.strictEqual(ticks(9), 0)
        assert.isFalse(socket.destroyed)
        assert.strictEqual(ticks(1), 1)
        assert.isTrue(socket.destroyed)
      })
  )

  it.effect("is kept while nothing waits for an answer, however long nothing is heard", () =>
    Effect.gen(function* () {
      const { watched, open, ticks } = yield* begin
      const socket = yield* open()
      yield* watched.during(Effect.void)
      assert.strictEqual(ticks(1000), 0)
      assert.isFalse(socket.destroyed)
    })
  )

  it.effect("is kept while something is heard on it", () =>
    Effect.gen(function* () {
      const { watched, open, ticks, sockets } = yield* begin
      const socket = yield* open()
      yield* Effect.forkChild(watched.during(Effect.never), waitForever)
      for (let time = 0; time < 5; time++) {
        assert.strictEqual(ticks(9), 0)
        yield* hears(socket, sockets[0] ?? socket)
        assert.strictEqual(ticks(1), 0)
      }
    })
  )

  it.effect("is closed also when the statement that waited was interrupted: those behind it wait on", () =>
    Effect.gen(function* () {
      const { watched, open, ticks } = yield* begin
      const socket = yield* open()
      yield* Fiber.interrupt(yield* Effect.forkChild(watched.during(Effect.never), waitForever))
      assert.strictEqual(ticks(9), 0)
      assert.strictEqual(ticks(1), 1)
      assert.isTrue(socket.destroyed)
    })
  )

  it.effect("is closed with those of another pool that fell silent, unless it was heard since", () =>
    Effect.gen(function* () {
      const { pool, watched, open, ticks, sockets } = yield* begin
      const other = pool(PATIENCE_MILLIS)
      yield* open()
      const silent = yield* open(other)
      const heard = yield* open(other)
      yield* Effect.forkChild(watched.during(Effect.never), waitForever)
      ticks(5)
      yield* hears(heard, sockets[2] ?? heard)
      assert.strictEqual(ticks(5), 2)
      assert.isTrue(silent.destroyed)
      assert.isFalse(heard.destroyed)
    })
  )
})
