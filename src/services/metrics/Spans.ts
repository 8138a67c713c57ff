import { Context, Effect, type Fiber, Random, References, type Tracer } from "effect"

/** Of how many traces that begin here spans are kept: 1 of all, 0.01 of every hundredth. */
export const TraceRatio = Context.Reference<number>("peyk/services/metrics/Spans/TraceRatio", {
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

/** A span around work, within the one it belongs to; none, at no cost, where nobody collects them. */
export const inSpan =
  (name: string, options: SpanOptions) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => (isTraced(fiber) ? Effect.withSpan(work, name, options) : work))

/** Tells the span that work is in what came of it. */
export const reportSpan =
  <A>(tell: (answer: A) => Readonly<{ [name: string]: string }>) =>
  <E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) =>
      isTraced(fiber) ? Effect.tap(work, (answer) => Effect.annotateCurrentSpan(tell(answer))) : work
    )

/** What is looked at all the time is part of nobody's trace, and would be most of what is collected. */
export const withoutSpans: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.withTracerEnabled(false)

/** The same as `inSpan`, for work that nobody asked for. */
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
