import { Context, Effect, type Fiber, Random, References, type Tracer } from "effect"

/** The share of traces to keep, of those that begin in Peyk: 1 for all, 0.01 for a hundredth. */
export const TraceRatio = Context.Reference<number>("peyk/services/system/Spans/TraceRatio", {
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

/** Adds the work's result to its span. */
export const reportSpan =
  <A>(attributesOf: (answer: A) => Readonly<{ [name: string]: string }>) =>
  <E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) =>
      isTraced(fiber) ? Effect.tap(work, (answer) => Effect.annotateCurrentSpan(attributesOf(answer))) : work
    )

/** Work without spans: constant polling belongs to no trace, and its spans would outnumber all others. */
export const withoutSpans: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.withTracerEnabled(false)

/** The same as `inSpan`, for work that no request started. */
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
