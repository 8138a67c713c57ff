import { Context, type Effect, Metric } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { attemptErrorCode, type ProviderOutcome } from "../../domain/provider/ProviderOutcome.ts"
import type { Channel } from "../../domain/routing/Channel.ts"

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
>()("peyk/services/system/MetricFamilies/MetricsExposition") {}

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
