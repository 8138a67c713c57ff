import { type Cause, Context, Effect, type Fiber, Metric, Random, References, type Tracer } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { attemptErrorCode, HIDDEN, keptText, type ProviderOutcome } from "../../domain/ProviderOutcome.ts"
import type { Channel } from "../../domain/routing/Channel.ts"
import { inOneLine } from "../../domain/text/VisibleText.ts"

/** The registry of metrics; readers use it. */
type MetricContext = Context.Context<never>

/** Adds to one series, or to its distribution. */
export type Observe = (value: number) => void

interface FamilyOptions {
  readonly description: string
  /** The label names. Each has few possible values: never a phone, an id or a path. */
  readonly labels?: ReadonlyArray<string>
}

/** The series of a metric with these values of its labels; an empty value is none. */
type Family = (...values: ReadonlyArray<string>) => Observe

const attributesOf = (labels: ReadonlyArray<string>, values: ReadonlyArray<string>) =>
  Object.fromEntries(
    labels.map((label, index) => [label, values[index] ?? ""] as const).filter(([, value]) => value !== "")
  )

/** Looks each series up once, with its labels; after that recording costs a tenth of a microsecond. */
const familyOf = (
  metric: Metric.Metric<number, unknown>,
  context: MetricContext,
  labels: ReadonlyArray<string> = []
): Family => {
  const known = new Map<string, Observe>()
  return (...values) => {
    const key = values.length === 1 ? (values[0] ?? "") : values.join(" ")
    const found = known.get(key)
    if (found !== undefined) return found
    const series = Metric.withAttributes(metric, attributesOf(labels, values))
    const observe: Observe = (value) => series.updateUnsafe(value, context)
    known.set(key, observe)
    return observe
  }
}

/** A value that only grows. */
export const counters = (context: MetricContext, name: string, { description, labels }: FamilyOptions) =>
  familyOf(Metric.counter(name, { description, incremental: true }), context, labels)

/** A distribution of values, in base units. */
export const histograms = (
  context: MetricContext,
  name: string,
  { description, labels, boundaries }: FamilyOptions & { readonly boundaries: ReadonlyArray<number> }
) => familyOf(Metric.histogram(name, { description, boundaries }), context, labels)

interface ReadOptions {
  readonly description: string
  readonly attributes?: Readonly<{ [label: string]: string }>
  /** Called whenever the metrics are read. */
  readonly read: () => number
}

const ignore = () => {}

/** A current value. */
export const gauge = (context: MetricContext, name: string, { read, ...options }: ReadOptions): void => {
  const get = () => ({ value: read() })
  Metric.registerUnsafe(Metric.gauge(name, options), context, { get, update: ignore, modify: ignore })
}

/** A growing value that is counted elsewhere. */
export const counterOf = (context: MetricContext, name: string, { read, ...options }: ReadOptions): void => {
  const get = () => ({ count: read(), incremental: true })
  Metric.registerUnsafe(Metric.counter(name, { ...options, incremental: true }), context, {
    get,
    update: ignore,
    modify: ignore
  })
}

/** All metrics, in Prometheus' text format. */
export class MetricsExposition extends Context.Service<
  MetricsExposition,
  { readonly text: Effect.Effect<string> }
>()("peyk/services/system/Observability/MetricsExposition") {}

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 7.5, 10, 15, 30]
const MILLIS_PER_SECOND = 1000

/** One call to a provider, and its outcome. */
interface MeasuredAttempt {
  readonly channel: Channel
  readonly outcome: ProviderOutcome
  readonly attemptedAt: Instant
  readonly finishedAt: Instant
}

export type CountAttempt = (attempt: MeasuredAttempt) => void

/** Counts the calls to providers for one kind of sending. */
export const attemptMetrics = (context: MetricContext, kind: "verification" | "message"): CountAttempt => {
  const attempts = counters(context, "peyk_attempts_total", {
    description: "Calls to providers, by what was sent, channel, and outcome: accepted, or our error code.",
    labels: ["kind", "channel", "outcome"]
  })
  const durations = histograms(context, "peyk_attempt_duration_seconds", {
    description: "How long providers took to respond, by channel.",
    labels: ["channel"],
    boundaries: SECONDS
  })
  return ({ channel, outcome, attemptedAt, finishedAt }) => {
    attempts(kind, channel, attemptErrorCode(outcome) ?? "accepted")(1)
    durations(channel)((finishedAt - attemptedAt) / MILLIS_PER_SECOND)
  }
}

/** The share of traces to keep, of those that begin in Peyk: 1 for all, 0.01 for a hundredth. */
export const TraceRatio = Context.Reference<number>("peyk/services/system/Observability/TraceRatio", {
  defaultValue: () => 1
})

interface SpanOptions {
  readonly kind?: Tracer.SpanKind
  /** Never a phone, a code, a text or a secret. */
  readonly attributes: Readonly<{ [name: string]: string }>
}

/** Whether a trace that begins here is kept. */
export const isSampled = Effect.zipWith(TraceRatio, Random.next, (ratio, random) => random < ratio)

const isTraced = (fiber: Fiber.Fiber<unknown, unknown>): boolean => fiber.getRef(References.TracerEnabled)

/** Puts a span around work, within its parent. Without a collector there is none, at no cost. */
export const inSpan =
  (name: string, options: SpanOptions) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => (isTraced(fiber) ? Effect.withSpan(work, name, options) : work))

/** The same for work whose result is an attribute. `options` are only made if there is a collector. */
export const inReportedSpan = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  name: string,
  options: () => SpanOptions,
  attributesOf: (result: A) => SpanOptions["attributes"]
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    isTraced(fiber)
      ? Effect.withSpan(
          Effect.tap(work, (result) => Effect.annotateCurrentSpan(attributesOf(result))),
          name,
          options()
        )
      : work
  )

/** Work without spans: constant polling belongs to no trace, and its spans would outnumber all others. */
export const withoutSpans: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.withTracerEnabled(false)

/** Puts a span without a parent around work that no request started. */
export const inNewTrace =
  (name: string, options: SpanOptions) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) =>
      isTraced(fiber)
        ? Effect.flatMap(isSampled, (sampled) =>
            Effect.withSpan(work, name, { ...options, root: true, sampled })
          )
        : work
    )

/**
 * What a message may repeat of somebody's data: quoted values, which the names of tables and roles are not, words with
 * several digits (phones, codes, tokens), and long words.
 */
const DATA = /"[^"]*"?|\S*\d{4}\S*|\S{40,}/g
const NAME = /^"[a-z_]+"$/

const hidden = (words: string): string => words.replace(DATA, (part) => (NAME.test(part) ? part : HIDDEN))

const isRecord = (error: unknown): error is Readonly<Record<string, unknown>> =>
  typeof error === "object" && error !== null

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** An error's tag or name, its message, and that of what caused it: the driver's message says only what it did. */
const inWords = (error: unknown): string => {
  if (!isRecord(error)) return typeof error === "string" ? error : typeof error
  const reason = isRecord(error["reason"]) ? error["reason"] : error
  const origin = reason["cause"]
  const name = textOf(reason["_tag"]) || textOf(reason["name"]) || "Error"
  const own = textOf(reason["message"]) || textOf(error["message"])
  const first = isRecord(origin) ? textOf(origin["message"]) : textOf(origin)
  return [name, own, first]
    .filter((part, index, all) => part !== "" && all.indexOf(part) === index)
    .join(": ")
}

/** Why something failed, in one line and without anybody's data. */
export const reasonOf = ({ reasons }: Cause.Cause<unknown>): string => {
  const [first] = reasons
  if (first === undefined) return "no reason"
  if (first._tag === "Interrupt") return "interrupted"
  const words = inWords(first._tag === "Die" ? first.defect : first.error)
  return inOneLine(keptText(hidden(words.replace(/\s*\n\s*/g, " "))))
}

const withDetails =
  (log: (message: string) => Effect.Effect<void>) =>
  (message: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
    Effect.andThen(
      Effect.suspend(() => log(`${message}: ${reasonOf(cause)}`)),
      // Only for developers: stacks, and whatever else the errors hold.
      Effect.logDebug(message, cause)
    )

/** A failure of background work: one line, as each outage of the store makes many. */
export const logFailure = withDetails(Effect.logError)

/** A failure by which nothing is lost: one line. */
export const warnOfFailure = withDetails(Effect.logWarning)
