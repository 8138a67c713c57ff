import { Context, Effect, Random, References, type Tracer } from "effect"

/** Of how many traces that begin here spans are kept: 1 of all, 0.01 of every hundredth. */
export const TraceRatio = Context.Reference<number>("peyk/services/Spans/TraceRatio", {
  defaultValue: () => 1
})

interface SpanOptions {
  readonly kind?: Tracer.SpanKind
  /** Never a phone, a code, a text or a secret. */
  readonly attributes: Readonly<{ [name: string]: string }>
}

/** Whether a trace that begins here is kept. */
export const isSampled = Effect.zipWith(TraceRatio, Random.next, (ratio, random) => random < ratio)

/** A span around work, within the one it belongs to; none, at no cost, where nobody collects them. */
export const inSpan =
  (name: string, options: SpanOptions) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(References.TracerEnabled, (isOn) => (isOn ? Effect.withSpan(work, name, options) : work))

/** What is looked at all the time is part of nobody's trace, and would be most of what is collected. */
export const withoutSpans: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.withTracerEnabled(false)

/** The same as `inSpan`, for work that nobody asked for. */
export const inNewTrace =
  (name: string, options: SpanOptions) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(References.TracerEnabled, (isOn) =>
      isOn
        ? Effect.flatMap(isSampled, (sampled) =>
            Effect.withSpan(work, name, { ...options, root: true, sampled })
          )
        : work
    )
