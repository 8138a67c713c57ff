import { Config, Effect, Option, Schema } from "effect"
import { mergeMetrics } from "./MergedMetrics.ts"
import { type OwnMetrics, ToProcess, type ToSupervisor } from "./ProcessMessages.ts"
import { makePendingReplies } from "./PendingReplies.ts"

/** The environment variable with a process's number among several. */
export const NUMBER_VARIABLE = "PEYK_PROCESS_NUMBER"

/** The number of this process, when a supervisor started it. */
export const ownNumber: Effect.Effect<Option.Option<number>> = Effect.suspend(() =>
  process.send === undefined
    ? Effect.succeedNone
    : Effect.orElseSucceed(Config.option(Config.Int(NUMBER_VARIABLE)), Option.none)
)

const isMessage = Schema.is(ToProcess)

const say = (message: ToSupervisor) => void process.send?.(message, undefined, undefined, () => {})

/** Reports to the supervisor that this process serves. If the supervisor is gone, the process stops. */
export const reportReady = Effect.sync(() => {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
  // For the supervisor, which gets it too.
  process.on("SIGHUP", () => {})
  process.on("message", (message) => {
    if (isMessage(message) && message._tag === "AskAlive") say({ _tag: "Alive", id: message.id })
  })
  say({ _tag: "Ready" })
})

/** Replies with this process's metrics, and returns a way to request those of all processes. */
const amongSiblings = Effect.fnUntraced(function* (own: Effect.Effect<string>, number: number) {
  const questions = makePendingReplies<ReadonlyArray<OwnMetrics>>()
  const context = yield* Effect.context<never>()
  const hear = (message: unknown) => {
    if (!isMessage(message)) return
    const { id } = message
    if (message._tag === "AllMetrics") questions.answer(id, message.all)
    if (message._tag === "ReportMetrics")
      Effect.runForkWith(context)(Effect.map(own, (text) => say({ _tag: "OwnMetrics", id, text })))
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("message", hear)),
    () => Effect.sync(() => process.off("message", hear))
  )
  const onlyOwn = Effect.map(own, (text) => [{ process: number, text }])
  const all = Effect.map(
    Effect.flatMap(
      questions.ask((id) => say({ _tag: "AskMetrics", id })),
      Option.match({ onNone: () => onlyOwn, onSome: (answer) => Effect.succeed(answer) })
    ),
    mergeMetrics
  )
  return { all }
})

/** The metrics of this process and its siblings in one text. Without a supervisor, only its own. */
export const metricsOfAll = Effect.fnUntraced(function* (own: Effect.Effect<string>) {
  const number = yield* ownNumber
  return Option.isNone(number) ? { all: own } : yield* amongSiblings(own, number.value)
})
