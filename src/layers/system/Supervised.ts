import { Config, Deferred, type Duration, Effect, Option, Schema } from "effect"

/** The messages between processes and their supervisor. A reply has the id of its request. */

const Id = Schema.Int

export const OwnMetrics = Schema.Struct({
  process: Schema.Int,
  /** In Prometheus' text format. */
  text: Schema.String
})
export type OwnMetrics = typeof OwnMetrics.Type

export const ToSupervisor = Schema.Union([
  /** The process serves. */
  Schema.TaggedStruct("Ready", {}),
  /** It requests the metrics of all. */
  Schema.TaggedStruct("RequestMetrics", { id: Id }),
  Schema.TaggedStruct("OwnMetrics", { id: Id, text: Schema.String }),
  Schema.TaggedStruct("Alive", { id: Id })
])
export type ToSupervisor = typeof ToSupervisor.Type

export const ToProcess = Schema.Union([
  Schema.TaggedStruct("ReportMetrics", { id: Id }),
  Schema.TaggedStruct("AllMetrics", { id: Id, all: Schema.Array(OwnMetrics) }),
  /** Whether its event loop still runs. */
  Schema.TaggedStruct("RequestAlive", { id: Id })
])
export type ToProcess = typeof ToProcess.Type

/** The longest wait for another process's reply. */
const PATIENCE = "2 seconds"

/** Requests to another process that wait for a reply. */
export const makePendingReplies = <A>() => {
  const open = new Map<number, Deferred.Deferred<A>>()
  let last = 0
  return {
    /** Sends a request by its id; none if no reply comes in time. */
    send: (put: (id: number) => void, patience: Duration.Input = PATIENCE): Effect.Effect<Option.Option<A>> =>
      Effect.suspend(() => {
        const id = (last += 1)
        const response = Deferred.makeUnsafe<A>()
        open.set(id, response)
        put(id)
        return Deferred.await(response).pipe(
          Effect.timeoutOption(patience),
          Effect.ensuring(Effect.sync(() => open.delete(id)))
        )
      }),
    receive: (id: number, response: A): void => {
      const reply = open.get(id)
      if (reply !== undefined) Deferred.doneUnsafe(reply, Effect.succeed(response))
    }
  }
}

interface Family {
  /** `# HELP` and `# TYPE`. */
  readonly heads: Set<string>
  readonly samples: Array<string>
}

const HEAD = /^# (?:HELP|TYPE) (\S+)/

const withProcess = (sample: string, process: number): string => {
  const label = `process="${process}"`
  const end = sample.search(/[{ ]/)
  if (end === -1) return sample
  const name = sample.slice(0, end)
  const rest = sample.slice(end)
  if (!rest.startsWith("{")) return `${name}{${label}}${rest}`
  return `${name}{${label}${rest.startsWith("{}") ? "" : ","}${rest.slice(1)}`
}

/** The metrics of several processes as one text: each sample has a label `process`, and each metric is in one piece. */
export const mergeMetrics = (parts: ReadonlyArray<OwnMetrics>): string => {
  const families = new Map<string, Family>()
  for (const { process, text } of parts) {
    let family: Family = { heads: new Set(), samples: [] }
    for (const line of text.split("\n")) {
      const [, name] = HEAD.exec(line) ?? []
      if (name !== undefined) {
        family = families.get(name) ?? { heads: new Set(), samples: [] }
        families.set(name, family)
        family.heads.add(line)
      } else if (line !== "" && !line.startsWith("#")) {
        family.samples.push(withProcess(line, process))
      }
    }
  }
  const lines = [...families.values()].flatMap(({ heads, samples }) => [...heads, ...samples])
  return `${lines.join("\n")}\n`
}

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
    if (isMessage(message) && message._tag === "RequestAlive") say({ _tag: "Alive", id: message.id })
  })
  say({ _tag: "Ready" })
})

/** Replies with this process's metrics, and returns a way to request those of all processes. */
const amongSiblings = Effect.fnUntraced(function* (own: Effect.Effect<string>, number: number) {
  const requests = makePendingReplies<ReadonlyArray<OwnMetrics>>()
  const context = yield* Effect.context<never>()
  const hear = (message: unknown) => {
    if (!isMessage(message)) return
    const { id } = message
    if (message._tag === "AllMetrics") requests.receive(id, message.all)
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
      requests.send((id) => say({ _tag: "RequestMetrics", id })),
      Option.match({ onNone: () => onlyOwn, onSome: (response) => Effect.succeed(response) })
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
