import { Deferred, Effect, Option, Schema } from "effect"
import { fork } from "node:child_process"
import { type OwnMetrics, type ToProcess, ToSupervisor } from "./ProcessMessages.ts"
import { NUMBER_VARIABLE } from "./Supervised.ts"
import { makePendingReplies } from "./PendingReplies.ts"

const isMessage = Schema.is(ToSupervisor)

/** How a process ended, for people. */
export type End = string

/** A child process that serves, or is about to. */
export interface ServerProcess {
  readonly number: number
  readonly pid: number | undefined
  /** True once it serves; false if it ended before. */
  readonly isReady: Effect.Effect<boolean>
  readonly ended: Effect.Effect<End>
  readonly kill: (signal: NodeJS.Signals) => void
  /** None if it does not respond. */
  readonly metrics: Effect.Effect<Option.Option<OwnMetrics>>
  /** Whether the process responds within this many milliseconds. */
  readonly answers: (withinMillis: number) => Effect.Effect<boolean>
}

export interface StartOptions {
  readonly number: number
  readonly port: number
  /** The reply to its request for the metrics of all. */
  readonly allMetrics: Effect.Effect<ReadonlyArray<OwnMetrics>>
}

/** Starts this program once more, as one of several processes on one port. */
export const startProcess = ({ number, port, allMetrics }: StartOptions): Effect.Effect<ServerProcess> =>
  Effect.sync(() => {
    const [, entry = "", ...args] = process.argv
    const ready = Deferred.makeUnsafe<boolean>()
    const ended = Deferred.makeUnsafe<End>()
    const questions = makePendingReplies<string>()
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
        case "AskMetrics":
          return Effect.runFork(
            Effect.map(allMetrics, (all) => say({ _tag: "AllMetrics", id: message.id, all }))
          )
        case "OwnMetrics":
          return questions.answer(message.id, message.text)
        case "Alive":
          return signsOfLife.answer(message.id)
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
        questions.ask((id) => say({ _tag: "ReportMetrics", id })),
        Option.map((text) => ({ process: number, text }))
      ),
      answers: (withinMillis) =>
        Effect.map(
          signsOfLife.ask((id) => say({ _tag: "AskAlive", id }), withinMillis),
          Option.isSome
        )
    }
  })
