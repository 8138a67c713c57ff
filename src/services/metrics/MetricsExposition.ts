import { Context, type Effect } from "effect"

/** All metrics, in Prometheus' text format. */
export class MetricsExposition extends Context.Service<
  MetricsExposition,
  { readonly text: Effect.Effect<string> }
>()("peyk/services/metrics/MetricsExposition") {}
