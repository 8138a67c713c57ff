import { Array as Arr, Clock, Deferred, Effect, Option, Schema } from "effect"
import { fork } from "node:child_process"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import { afterDeath, MAX_RESTARTS_IN_ROW, noRestarts, type Restarts } from "../../domain/Schedules.ts"
import {
  makePendingReplies,
  NUMBER_VARIABLE,
  type OwnMetrics,
  type ToProcess,
  ToSupervisor
} from "./Supervised.ts"
import { StartupError } from "./StartupError.ts"

/** One check can fail because the whole machine paused: the deadline then passes before the reply is read. */
const MAX_UNANSWERED = 2
/** The pause between a reply and the next check, as a fraction of the longest silence. */
const PAUSE_SHARE = 4

/**
 * Ends once a process has been silent for so long; never if that is 0.
 *
 * @param answers checks the process, and waits at most this many milliseconds for its reply
 */
export const untilSilent = (
  responses: (withinMillis: number) => Effect.Effect<boolean>,
  silenceMillis: number
): Effect.Effect<void> =>
  silenceMillis === 0
    ? Effect.never
    : Effect.gen(function* () {
        let unanswered = 0
        while (unanswered < MAX_UNANSWERED) {
          if (unanswered === 0) yield* Effect.sleep(silenceMillis / PAUSE_SHARE)
          unanswered = (yield* responses(silenceMillis / MAX_UNANSWERED)) ? 0 : unanswered + 1
        }
      })

const isMessage = Schema.is(ToSupervisor)

/** How a process ended, for people. */
type End = string

/** A child process that serves, or is about to. */
interface ServerProcess {
  readonly number: number
  readonly pid: number | undefined
  /** True once it serves; false if it ended before. */
  readonly isReady: Effect.Effect<boolean>
  readonly ended: Effect.Effect<End>
  readonly kill: (signal: NodeJS.Signals) => void
  /** None if it does not respond. */
  readonly metrics: Effect.Effect<Option.Option<OwnMetrics>>
  /** Whether the process responds within this many milliseconds. */
  readonly responses: (withinMillis: number) => Effect.Effect<boolean>
}

interface StartOptions {
  readonly number: number
  readonly port: number
  /** The reply to its request for the metrics of all. */
  readonly allMetrics: Effect.Effect<ReadonlyArray<OwnMetrics>>
}

/** Starts this program once more, as one of several processes on one port. */
const startProcess = ({ number, port, allMetrics }: StartOptions): Effect.Effect<ServerProcess> =>
  Effect.sync(() => {
    const [, entry = "", ...args] = process.argv
    const ready = Deferred.makeUnsafe<boolean>()
    const ended = Deferred.makeUnsafe<End>()
    const requests = makePendingReplies<string>()
    const signsOfLife = makePendingReplies<void>()
    const child = fork(entry, args, {
      env: { ...process.env, PEYK_PORT: String(port), [NUMBER_VARIABLE]: String(number) },
      stdio: ["ignore", "inherit", "inherit", "ipc"]
    })
    /** It may have ended meanwhile, which is reported elsewhere. */
    const say = (message: ToProcess) => void child.send(message, () => {})
    const hear = (message: ToSupervisor) => {
      switch (message._tag) {
        case "Ready":
          return Deferred.doneUnsafe(ready, Effect.succeed(true))
        case "RequestMetrics":
          return Effect.runFork(
            Effect.map(allMetrics, (all) => say({ _tag: "AllMetrics", id: message.id, all }))
          )
        case "OwnMetrics":
          return requests.receive(message.id, message.text)
        case "Alive":
          return signsOfLife.receive(message.id)
      }
    }
    const end = (how: End) => {
      Deferred.doneUnsafe(ready, Effect.succeed(false))
      Deferred.doneUnsafe(ended, Effect.succeed(how))
    }
    child.once("error", ({ message }) => end(message))
    child.once("exit", (code, signal) => end(signal ?? `exit code ${code}`))
    child.on("message", (message) => {
      if (isMessage(message)) hear(message)
    })
    return {
      number,
      pid: child.pid,
      isReady: Deferred.await(ready),
      ended: Deferred.await(ended),
      kill: (signal) => void child.kill(signal),
      metrics: Effect.map(
        requests.send((id) => say({ _tag: "ReportMetrics", id })),
        Option.map((text) => ({ process: number, text }))
      ),
      responses: (withinMillis) =>
        Effect.map(
          signsOfLife.send((id) => say({ _tag: "RequestAlive", id }), withinMillis),
          Option.isSome
        )
    }
  })

interface SupervisorOptions {
  readonly count: number
  readonly port: number
  /** A stopping process that does not end is killed after this long. */
  readonly stopMillis: number
  /** A process that does not respond for this long is killed; 0: never. */
  readonly hangMillis: number
}

/** One of several places, each with a process that serves, or two during a replacement. */
interface Place {
  readonly number: number
  /** Undefined while the last one is dead and the next one not ready. */
  current: ServerProcess | undefined
  restarts: Restarts
}

const READY_MILLIS = MINUTE_MILLIS

/** Keeps several processes running: restarts those that die or hang, and replaces all without a gap. */
export const supervise = Effect.fnUntraced(function* (options: SupervisorOptions) {
  const { count, port, stopMillis, hangMillis } = options
  const places: ReadonlyArray<Place> = Arr.makeBy(count, (index) => ({
    number: index + 1,
    current: undefined,
    restarts: noRestarts
  }))
  const alive = new Set<ServerProcess>()
  const failed = Deferred.makeUnsafe<never, StartupError>()
  const scope = yield* Effect.scope
  let isStopping = false

  /** Only those that serve: two with one number would look like one. */
  const allMetrics = Effect.suspend(() =>
    Effect.map(
      Effect.forEach(places, ({ current }) => current?.metrics ?? Effect.succeedNone, {
        concurrency: "unbounded"
      }),
      Arr.getSomes
    )
  )

  const launch = Effect.fnUntraced(function* ({ number }: Place) {
    const started = yield* startProcess({ number, port, allMetrics })
    alive.add(started)
    yield* Effect.forkIn(
      Effect.map(started.ended, () => alive.delete(started)),
      scope
    )
    const isReady = yield* Effect.timeoutOrElse(started.isReady, {
      duration: READY_MILLIS,
      orElse: () => Effect.succeed(false)
    })
    if (isReady) return started
    started.kill("SIGKILL")
    return yield* new StartupError({
      message: `process ${number} ended before it was ready (${yield* started.ended})`
    })
  })

  const stop = (one: ServerProcess) => {
    one.kill("SIGTERM")
    return Effect.timeoutOrElse(one.ended, {
      duration: stopMillis,
      orElse: () => {
        one.kill("SIGKILL")
        return one.ended
      }
    })
  }

  const isServed = () => places.some(({ current }) => current !== undefined)

  /** Restarts the place's process, as often as needed. */
  const revive = Effect.fnUntraced(function* (place: Place, since: number): Effect.fn.Return<void> {
    const now = yield* Clock.currentTimeMillis
    const { restarts, pauseMillis } = afterDeath(place.restarts, now - since)
    place.restarts = restarts
    if (restarts.inRow > MAX_RESTARTS_IN_ROW && !isServed()) {
      const message = `no process serves, after ${MAX_RESTARTS_IN_ROW} restarts in a row`
      return yield* Effect.asVoid(Deferred.fail(failed, new StartupError({ message })))
    }
    yield* Effect.sleep(pauseMillis)
    if (isStopping) return
    const begun = yield* Clock.currentTimeMillis
    yield* Effect.matchEffect(launch(place), {
      onSuccess: (started) => settle(place, started),
      onFailure: ({ message }) => Effect.andThen(Effect.logError(message), revive(place, begun))
    })
  })

  /** A hanging process would keep its share of the connections forever. */
  const endOfHanging = (place: Place, one: ServerProcess) =>
    Effect.gen(function* () {
      yield* untilSilent(one.responses, hangMillis)
      yield* Effect.logError(
        `process ${place.number} (pid ${one.pid}) has not answered for ${hangMillis} ms; it is killed`
      )
      one.kill("SIGKILL")
      return yield* one.ended
    })

  const watch = Effect.fnUntraced(function* (place: Place, one: ServerProcess) {
    const since = yield* Clock.currentTimeMillis
    const how = yield* Effect.raceFirst(one.ended, endOfHanging(place, one))
    if (isStopping || place.current !== one) return
    place.current = undefined
    yield* Effect.logError(`process ${place.number} (pid ${one.pid}) died: ${how}; it is started again`)
    yield* revive(place, since)
  })

  const settle = Effect.fnUntraced(function* (place: Place, started: ServerProcess): Effect.fn.Return<void> {
    place.current = started
    yield* Effect.forkIn(watch(place, started), scope)
    yield* Effect.logInfo(`process ${place.number} serves (pid ${started.pid})`)
  })

  /** Replaces each by a new one that serves before the old one stops. After the first failure the others stay. */
  const replaceAll = Effect.gen(function* () {
    yield* Effect.logInfo("replacing the processes, one after the other")
    for (const place of places) {
      const old = place.current
      if (old === undefined) continue
      const next = yield* launch(place)
      yield* settle(place, next)
      yield* stop(old)
    }
    yield* Effect.logInfo("all processes are replaced")
  }).pipe(
    Effect.catchTag("StartupError", ({ message }) =>
      Effect.logError(`${message}; those that are left serve on as they are`)
    )
  )

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      isStopping = true
      return Effect.forEach([...alive], stop, { concurrency: "unbounded", discard: true })
    })
  )
  const [first, ...rest] = places
  // Only one, because a common problem is logged once.
  if (first !== undefined) yield* settle(first, yield* launch(first))
  yield* Effect.forEach(rest, (place) => Effect.flatMap(launch(place), (started) => settle(place, started)), {
    concurrency: "unbounded",
    discard: true
  })
  return { replaceAll, failed: Deferred.await(failed) }
})
