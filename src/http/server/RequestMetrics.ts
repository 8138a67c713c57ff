import { Clock, Context, Effect, Layer, Option, Redacted, References } from "effect"
import { Headers, type HttpServerRequest, HttpTraceContext } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import { plainAddress } from "../../domain/Networks.ts"
import type { ErrorCode } from "../errors/ErrorTable.ts"
import { requestClasses } from "../RouteTable.ts"
import { Serving } from "./Serving.ts"
import type { ServingSnapshot } from "./ServingServer.ts"
import {
  counterOf,
  counters,
  gauge,
  histograms,
  isSampled,
  type Observe
} from "../../services/system/Observability.ts"

type Request = Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">

/** Decides which requests may read the metrics. */
interface MetricsAccessShape {
  readonly token: Option.Option<Redacted.Redacted>
  /** Whether local callers need no token if none is set: the service listens on loopback only. */
  readonly isOpen: boolean
  /** Whether an address lies outside the public internet. */
  readonly isPrivate: (address: string) => boolean
}

export class MetricsAccess extends Context.Service<MetricsAccess, MetricsAccessShape>()(
  "peyk/http/server/RequestMetrics/MetricsAccess"
) {}

const digest = (text: string) => createHash("sha256").update(text).digest()

const carriesToken = ({ headers }: Request, token: string): boolean => {
  const given = /^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1] ?? ""
  return timingSafeEqual(digest(given), digest(token))
}

/** A proxy's header: its client can be anyone. */
const FORWARDED_BY = ["x-forwarded-for", "x-real-ip", "forwarded", "via"]

const isNear = ({ headers, remoteAddress }: Request, isPrivate: MetricsAccessShape["isPrivate"]): boolean =>
  FORWARDED_BY.every((name) => headers[name] === undefined) &&
  isPrivate(plainAddress(Option.getOrElse(remoteAddress, () => "")))

/**
 * With a token set, admits only callers that have it. Without one, admits local callers if the service listens on
 * loopback only. Callers through a proxy are refused: a proxy that publishes the whole service would publish this too.
 */
export const mayReadMetrics = (request: Request, { token, isOpen, isPrivate }: MetricsAccessShape): boolean =>
  Option.match(token, {
    onSome: (expected) => carriesToken(request, Redacted.value(expected)),
    onNone: () => isOpen && isNear(request, isPrivate)
  })

interface TracedRequest {
  readonly method: string
  readonly headers: Headers.Input
  /** The path of the route table, such as `/v1/otp/{verification_id}`. */
  readonly route: string
  readonly requestId: string
}

export interface RequestOutcome {
  readonly status: number
  readonly code?: ErrorCode | undefined
}

type Trace = <A, R>(
  traced: TracedRequest,
  response: Effect.Effect<A, never, R>,
  outcomeOf: (response: A) => RequestOutcome
) => Effect.Effect<A, never, R>

const untraced: Trace = (_, response) => response

const addResponse = ({ status, code }: RequestOutcome) =>
  Effect.annotateCurrentSpan({
    "http.response.status_code": status,
    ...(status >= 400 && { "error.type": code ?? String(status) })
  })

const traced: Trace = ({ method, headers, route, requestId }, response, outcomeOf) =>
  Effect.gen(function* () {
    const parent = Option.getOrUndefined(HttpTraceContext.fromHeaders(Headers.fromInput(headers)))
    const sampled = parent?.sampled ?? (yield* isSampled)
    return yield* Effect.withSpan(
      Effect.tap(response, (made) => addResponse(outcomeOf(made))),
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

/** The response to a request; called once. */
export type Responded = (status: number, code?: ErrorCode) => void

/** The label of every path that is not served. */
export const UNMATCHED = "unmatched"

/** The client disconnected before the response. */
export const CLIENT_GONE = 499

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const NANOS_PER_SECOND = 1e9
/** A client chooses the method, and labels must have few values. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
const OTHER_METHOD = "other"

/** Refusals that operators look up by the limit that was reached. */
const limitOf: { readonly [code in ErrorCode]?: string } = {
  too_many_requests_api_key: "key_minute",
  too_many_requests_phone_hour: "phone_hour",
  too_many_requests_phone_day: "phone_day",
  too_many_sign_ins: "sign_ins",
  quota_exceeded: "monthly_quota"
}

interface Route {
  readonly lasted: Observe
  readonly responded: (status: number, code: ErrorCode | undefined) => Observe
}

/** Counts requests by their path's template. Every request passes here, on the fast path too. */
export class RequestMetrics extends Context.Service<
  RequestMetrics,
  {
    /** A request arrived for a route of the table, such as `/v1/otp/{verification_id}`. */
    readonly begin: (route: string, method: string) => Responded
  }
>()("peyk/http/server/RequestMetrics") {
  static readonly layer = Layer.effect(
    RequestMetrics,
    Effect.gen(function* () {
      const context = yield* Effect.context<never>()
      const clock = yield* Clock.Clock
      const requests = counters(context, "peyk_http_requests_total", {
        description: "Responses, by route, method, HTTP status and error code.",
        labels: ["route", "method", "status", "code"]
      })
      const durations = histograms(context, "peyk_http_request_duration_seconds", {
        description: "How long responses took, by route and method.",
        labels: ["route", "method"],
        boundaries: SECONDS
      })
      const limitRefusals = counters(context, "peyk_limit_refusals_total", {
        description: "Requests refused because a limit was reached, by limit.",
        labels: ["limit"]
      })
      const walletRefusals = counters(context, "peyk_wallet_refusals_total", {
        description: "Requests refused because a wallet does not cover them."
      })()
      let inFlight = 0
      gauge(context, "peyk_http_requests_in_flight", {
        description: "Requests without a response yet.",
        read: () => inFlight
      })
      for (const limit of Object.values(limitOf)) limitRefusals(limit)(0)
      walletRefusals(0)

      const makeRoute = (template: string, method: string): Route => {
        /** By error code, or by status without one. No key is built per request. */
        const responses = new Map<string | number, Observe>()
        return {
          lasted: durations(template, method),
          responded: (status, code) => {
            const known = responses.get(code ?? status)
            if (known !== undefined) return known
            const made = requests(template, method, String(status), code ?? "")
            responses.set(code ?? status, made)
            return made
          }
        }
      }
      const routes = new Map<string, Map<string, Route>>()
      const routeOf = (template: string, given: string): Route => {
        const methods = routes.get(template) ?? new Map<string, Route>()
        const method = METHODS.has(given) ? given : OTHER_METHOD
        const known = methods.get(method)
        if (known !== undefined) return known
        const made = makeRoute(template, method)
        routes.set(template, methods.set(method, made))
        return made
      }

      const countRefusal = (code: ErrorCode) => {
        const limit = limitOf[code]
        if (limit !== undefined) limitRefusals(limit)(1)
        if (code === "insufficient_balance") walletRefusals(1)
      }

      return RequestMetrics.of({
        begin: (template, method) => {
          const startedAt = clock.monotonicTimeNanosUnsafe()
          inFlight += 1
          return (status, code) => {
            inFlight -= 1
            const route = routeOf(template, method)
            route.lasted(Number(clock.monotonicTimeNanosUnsafe() - startedAt) / NANOS_PER_SECOND)
            route.responded(status, code)(1)
            if (code !== undefined) countRefusal(code)
          }
        }
      })
    })
  )
}

/** Metrics that the server has before any route: the requests in progress, and those refused because of overload. */
export const ServingMetrics = Layer.effectDiscard(
  Effect.gen(function* () {
    const server = yield* Serving
    const context = yield* Effect.context<never>()
    const report = (name: string, description: string, read: (snapshot: ServingSnapshot) => number) =>
      gauge(context, name, { description, read: () => read(server.snapshot()) })

    for (const kind of requestClasses) {
      gauge(context, "peyk_http_requests_in_flight_by_class", {
        description: "Requests without a response yet, by class.",
        attributes: { class: kind },
        read: () => server.snapshot().inFlight[kind]
      })
      counterOf(context, "peyk_http_requests_shed_total", {
        description: "Requests refused unread with 503 because there were too many, by class.",
        attributes: { class: kind },
        read: () => server.snapshot().shed[kind]
      })
    }
    report(
      "peyk_http_requests_in_flight_limit",
      "How many requests may be in flight (PEYK_MAX_REQUESTS_IN_FLIGHT).",
      ({ maxInFlight }) => maxInFlight
    )
    report(
      "peyk_http_requests_working",
      "Of those in flight, the ones that do not wait for a provider or a password's hash.",
      ({ working }) => working
    )
    report(
      "peyk_http_requests_working_limit",
      "How many of those are let in now; falls under overload.",
      ({ limit }) => limit
    )
    report(
      "peyk_http_requests_waiting_for_body",
      "Requests whose bodies are still to come; they are not in flight.",
      ({ waitingForBody }) => waitingForBody
    )
    counterOf(context, "peyk_http_bodies_given_up_total", {
      description: "Bodies that did not arrive in time (PEYK_BODY_TIMEOUT_MS).",
      read: () => server.snapshot().bodiesGivenUp
    })
    report("peyk_http_connections", "Connections of clients.", ({ connections }) => connections)
    report(
      "peyk_http_connections_limit",
      "How many there may be (PEYK_MAX_CONNECTIONS).",
      ({ maxConnections }) => maxConnections
    )
    counterOf(context, "peyk_http_connections_dropped_total", {
      description: "Connections closed on arrival because there were too many.",
      read: () => server.snapshot().dropped
    })
    counterOf(context, "peyk_http_connections_evicted_total", {
      description: "Connections without a request in progress that were closed to make room for others.",
      read: () => server.snapshot().evicted
    })
    counterOf(context, "peyk_http_connections_unread_total", {
      description: "Connections closed because their clients did not read (PEYK_WRITE_TIMEOUT_MS).",
      read: () => server.snapshot().unread
    })
    report(
      "peyk_http_unsent_bytes",
      "Bytes of responses that wait until their clients read.",
      ({ unsentBytes }) => unsentBytes
    )
  })
)
