import { Effect, Layer } from "effect"
import { counterOf, gauge } from "../../services/metrics/MetricFamilies.ts"
import type { ServingSnapshot } from "../server/ServingServer.ts"
import { requestClasses } from "../server/RequestClass.ts"
import { Serving } from "../server/Serving.ts"

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
