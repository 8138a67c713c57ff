import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../errors/SendErrors.ts"
import { Load } from "../RouteTable.ts"

const Health = Schema.Struct({ status: Schema.Literal("ok") })
const Ready = Schema.Struct({
  ...Health.fields,
  lost_cells: Schema.optionalKey(
    Schema.Array(Schema.Int).annotate({
      description:
        "On Citus: cells that do not respond now. Requests of their customers get 503. Absent if there are none."
    })
  )
})

export const READINESS_PATH = "/readyz"

/** Prometheus' text format. */
export const METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

export class SystemGroup extends HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("healthz", "/healthz", { success: Health }).annotateMerge(
      OpenApi.annotations({ summary: "Whether the process runs" })
    ),
    HttpApiEndpoint.get("readyz", READINESS_PATH, {
      success: Ready,
      error: errors("service_unavailable")
    }).annotateMerge(
      OpenApi.annotations({ summary: "Whether the store is reachable and its schema current" })
    ),
    HttpApiEndpoint.get("metrics", "/metrics", {
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: METRICS_CONTENT_TYPE })),
      error: errors("unauthenticated")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Metrics, for Prometheus",
        description:
          "With PEYK_METRICS_TOKEN set: for callers that send it as Authorization: Bearer. Else, if Peyk listens on loopback " +
          "only: for local callers, not through a proxy."
      })
    )
  )
  .annotate(Load, "vital")
  .annotateMerge(OpenApi.annotations({ title: "System" })) {}
