import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ServiceUnavailable } from "../../domain/Errors.ts"
import { MetricsExposition } from "../../services/system/Observability.ts"
import { Readiness } from "../../services/system/HealthReports.ts"
import { Api } from "../Api.ts"
import { METRICS_CONTENT_TYPE } from "./SystemApi.ts"
import { metricsRefusalText } from "../errors/CredentialTexts.ts"
import { errorResponse, orEnvelope, RequestId } from "../errors/Envelope.ts"
import { mayReadMetrics, MetricsAccess } from "../server/RequestMetrics.ts"

const ok = Effect.succeed({ status: "ok" as const })

const notAdmitted = (text: string) =>
  Effect.map(RequestId, (requestId) =>
    errorResponse("unauthenticated", requestId, { text, headers: { "www-authenticate": "Bearer" } })
  )

export const SystemHandlers = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fnUntraced(function* (handlers) {
    const { isReady, lostCells } = yield* Readiness
    const { text } = yield* MetricsExposition
    const access = yield* MetricsAccess

    const metrics = Effect.gen(function* () {
      if (!mayReadMetrics(yield* HttpServerRequest.HttpServerRequest, access)) {
        return yield* notAdmitted(metricsRefusalText(Option.isSome(access.token)))
      }
      return HttpServerResponse.text(yield* text, { contentType: METRICS_CONTENT_TYPE })
    })

    const ready = Effect.map(lostCells, (lost) => ({
      status: "ok" as const,
      ...(lost.length === 0 ? {} : { lost_cells: lost })
    }))

    return handlers.handleAll({
      healthz: () => ok,
      readyz: () =>
        orEnvelope(Effect.flatMap(isReady, (is) => (is ? ready : Effect.fail(new ServiceUnavailable())))),
      metrics: () => metrics
    })
  })
)
