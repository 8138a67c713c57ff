import { Effect, Layer } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { MetricsExposition } from "../../services/metrics/MetricFamilies.ts"
import { metricsOfAll } from "../process/Supervised.ts"
import { ProcessMetrics } from "./ProcessMetrics.ts"
import { StoreMetrics } from "../postgres/StoreMetrics.ts"

/** The metrics of this process and its siblings, with those that need a query of the store. */
export const MetricsPrometheus = (poolLimits: Readonly<Record<string, number>>) =>
  Layer.effect(
    MetricsExposition,
    Effect.gen(function* () {
      const { refresh } = yield* StoreMetrics
      const context = yield* Effect.context<never>()
      const own = Effect.map(refresh, () => PrometheusMetrics.formatUnsafe(context))
      const { all } = yield* metricsOfAll(own)
      return MetricsExposition.of({ text: all })
    })
  ).pipe(Layer.provide([StoreMetrics.layer(poolLimits), ProcessMetrics]))
