import { Config, ConfigProvider, Effect, Layer, Option, References } from "effect"
import { FetchHttpClient, HttpClient, HttpMiddleware } from "effect/http"
import { Otlp, OtlpSerialization } from "effect/observability"
import * as os from "node:os"
import { version } from "../config/Version.ts"
import { StartupError } from "./StartupError.ts"
import { TraceRatio } from "../../services/system/Observability.ts"

const OTLP = "otlp"

/** Defaults of the OpenTelemetry specification that Effect's exporters lack. */
const specified = ConfigProvider.fromUnknown({
  OTEL_SERVICE_NAME: "peyk",
  OTEL_TRACES_EXPORTER: OTLP,
  OTEL_METRICS_EXPORTER: OTLP,
  OTEL_LOGS_EXPORTER: OTLP
})

const filled = (name: string) =>
  Config.map(
    Config.option(Config.String(name)),
    Option.filter((text) => text !== "")
  )

const otlp = Config.all({
  disabled: Config.withDefault(Config.Boolean("OTEL_SDK_DISABLED"), false),
  endpoint: filled("OTEL_EXPORTER_OTLP_ENDPOINT"),
  tracesEndpoint: filled("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
  metricsEndpoint: filled("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"),
  logsEndpoint: filled("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"),
  tracesExporter: Config.String("OTEL_TRACES_EXPORTER"),
  protocol: Config.withDefault(
    Config.Literals(["http/protobuf", "http/json"], "OTEL_EXPORTER_OTLP_PROTOCOL"),
    "http/protobuf" as const
  ),
  traceRatio: Config.withDefault(Config.Number("OTEL_TRACES_SAMPLER_ARG"), 1)
})

/** Without a collector no span is created, for requests or statements. */
const NoTraces = Layer.succeed(References.TracerEnabled, false)

/**
 * Spans of requests and timers are Peyk's own. They leave out the phones in URLs and the tokens of providers, and no
 * other service receives their context.
 */
const OwnSpansOnly = Layer.mergeAll(
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true),
  Layer.succeed(HttpClient.TracerDisabledWhen, () => true),
  Layer.succeed(HttpClient.TracerPropagationEnabled, false)
)

/** Sends traces, metrics and logs to an OpenTelemetry collector, if the environment names one. */
export const Telemetry = Layer.unwrap(
  Effect.gen(function* () {
    const environment = ConfigProvider.orElse(yield* ConfigProvider.ConfigProvider, specified)
    const settings = yield* Effect.mapError(
      otlp.parse(environment),
      ({ cause }) => new StartupError({ message: `the settings cannot be used: ${cause.message}` })
    )
    const { endpoint, tracesEndpoint, metricsEndpoint, logsEndpoint } = settings
    const isOn =
      !settings.disabled &&
      [endpoint, tracesEndpoint, metricsEndpoint, logsEndpoint].some((each) => Option.isSome(each))
    if (!isOn) return NoTraces
    const hasTraces =
      settings.tracesExporter.split(",").includes(OTLP) &&
      Option.isSome(Option.orElse(tracesEndpoint, () => endpoint))
    // Each of several processes counts for itself.
    const attributes = { "service.instance.id": `${os.hostname()}-${process.pid}` }
    const exporters = Otlp.layerFromConfig({ resource: { serviceVersion: version, attributes } }).pipe(
      Layer.provide(
        settings.protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf
      ),
      Layer.provide(FetchHttpClient.layer),
      Layer.provide(ConfigProvider.layer(environment))
    )
    return Layer.mergeAll(
      exporters,
      OwnSpansOnly,
      hasTraces ? Layer.succeed(TraceRatio, settings.traceRatio) : NoTraces
    )
  })
)
