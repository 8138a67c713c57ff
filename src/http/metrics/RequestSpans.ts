import { Effect, Option, References } from "effect"
import { Headers, HttpTraceContext } from "effect/http"
import { isSampled } from "../../services/metrics/Spans.ts"
import type { ErrorCode } from "../errors/ErrorTable.ts"

export interface TracedRequest {
  readonly method: string
  readonly headers: Headers.Input
  /** As in the table of routes. */
  readonly route: string
  readonly requestId: string
}

/** The response to a request. */
export interface RequestOutcome {
  readonly status: number
  readonly code?: ErrorCode | undefined
}

type Trace = <A, R>(
  traced: TracedRequest,
  answer: Effect.Effect<A, never, R>,
  outcomeOf: (answer: A) => RequestOutcome
) => Effect.Effect<A, never, R>

const untraced: Trace = (_, answer) => answer

const addAnswer = ({ status, code }: RequestOutcome) =>
  Effect.annotateCurrentSpan({
    "http.response.status_code": status,
    ...(status >= 400 && { "error.type": code ?? String(status) })
  })

const traced: Trace = ({ method, headers, route, requestId }, answer, outcomeOf) =>
  Effect.gen(function* () {
    const parent = Option.getOrUndefined(HttpTraceContext.fromHeaders(Headers.fromInput(headers)))
    const sampled = parent?.sampled ?? (yield* isSampled)
    return yield* Effect.withSpan(
      Effect.tap(answer, (made) => addAnswer(outcomeOf(made))),
      `${method} ${route}`,
      {
        kind: "server",
        parent,
        sampled,
        // Neither the path nor the query: they contain ids, phones and tokens.
        attributes: { "http.request.method": method, "http.route": route, "peyk.request_id": requestId }
      }
    )
  })

/** Puts a span around a request. Without a collector there is none, at no cost. */
export const makeTrace: Effect.Effect<Trace> = Effect.map(References.TracerEnabled, (isOn) =>
  isOn ? traced : untraced
)
