import { Deferred, Effect, Schema } from "effect"
import { fork } from "node:child_process"

/** Says to a process that it is one of several, and which. */
export const NUMBER_VARIABLE = "PEYK_PROCESS_NUMBER"

const Ready = Schema.Struct({ ready: Schema.Literal(true) })
const isReady = Schema.is(Ready)

/** The number of this process, when a supervisor started it. */
export const ownNumber = (): string | undefined =>
  process.send === undefined ? undefined : process.env[NUMBER_VARIABLE]

/** Told to the supervisor once this process serves. Without a supervisor there is nothing to serve for: it stops. */
export const reportReady = Effect.sync(() => {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
  // For our supervisor, which hears it too.
  process.on("SIGHUP", () => {})
  process.send?.({ ready: true })
})

/** How a process ended, for people. */
export type End = string

/** A process of ours that serves, or is about to. */
export interface ServerProcess {
  readonly number: number
  readonly pid: number | undefined
  /** True once it serves; false when it ended before. */
  readonly isReady: Effect.Effect<boolean>
  readonly ended: Effect.Effect<End>
  readonly kill: (signal: NodeJS.Signals) => void
}

/** Starts what this process was started as once more, as one of several on one port. */
export const startProcess = (number: number, port: number): Effect.Effect<ServerProcess> =>
  Effect.sync(() => {
    const [, entry = "", ...args] = process.argv
    const ready = Deferred.makeUnsafe<boolean>()
    const ended = Deferred.makeUnsafe<End>()
    const child = fork(entry, args, {
      env: { ...process.env, PEYK_PORT: String(port), [NUMBER_VARIABLE]: String(number) },
      stdio: ["ignore", "inherit", "inherit", "ipc"]
    })
    const end = (how: End) => {
      Deferred.doneUnsafe(ready, Effect.succeed(false))
      Deferred.doneUnsafe(ended, Effect.succeed(how))
    }
    child.once("error", ({ message }) => end(message))
    child.once("exit", (code, signal) => end(signal ?? `exit code ${code}`))
    child.on("message", (message) => {
      if (isReady(message)) Deferred.doneUnsafe(ready, Effect.succeed(true))
    })
    return {
      number,
      pid: child.pid,
      isReady: Deferred.await(ready),
      ended: Deferred.await(ended),
      kill: (signal) => void child.kill(signal)
    }
  })
