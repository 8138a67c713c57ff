import { Clock, Effect, Layer, Schedule } from "effect"
import { PrometheusMetrics } from "effect/observability"
import * as fs from "node:fs"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { version } from "../config/Version.ts"
import { StoreMetrics } from "../postgres/StoreMetrics.ts"
import { metricsOfAll } from "./Supervised.ts"
import { counterOf, gauge, MetricsExposition } from "../../services/system/Observability.ts"

const MICROS_PER_SECOND = 1e6
const MILLIS_PER_SECOND = 1000
const NANOS_PER_SECOND = 1e9
/** How often the event loop is sampled, and how long each result is reported. */
const LAG_RESOLUTION_MILLIS = 20
const LAG_WINDOW = "15 seconds"
const FILE_DESCRIPTORS = "/proc/self/fd"

/** Only Linux reports this. */
const openFileDescriptors = (): number => {
  try {
    return fs.readdirSync(FILE_DESCRIPTORS).length
  } catch {
    return Number.NaN
  }
}

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / MICROS_PER_SECOND
}

const eventLoopLag = Effect.acquireRelease(
  Effect.sync(() => {
    const delay = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MILLIS })
    delay.enable()
    return delay
  }),
  (delay) => Effect.sync(() => delay.disable())
)

/** How late the event loop handled due work, in seconds, over the last complete window. */
const watchEventLoop = Effect.gen(function* () {
  const delay = yield* eventLoopLag
  let p50 = 0
  let p99 = 0
  let max = 0
  const lag = (nanos: number) =>
    Math.max(0, nanos / NANOS_PER_SECOND - LAG_RESOLUTION_MILLIS / MILLIS_PER_SECOND)
  const endWindow = Effect.sync(() => {
    p50 = lag(delay.percentile(50))
    p99 = lag(delay.percentile(99))
    max = lag(delay.max)
    delay.reset()
  })
  yield* Effect.forkScoped(Effect.repeat(Effect.delay(endWindow, LAG_WINDOW), Schedule.forever))
  return { p50: () => p50, p99: () => p99, max: () => max }
})

/** The metrics of this process itself, with the names of Prometheus' client libraries. */
const ProcessMetrics = Layer.effectDiscard(
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const startedAt = (yield* Clock.currentTimeMillis) / MILLIS_PER_SECOND - process.uptime()
    const { p50, p99, max } = yield* watchEventLoop
    const report = (name: string, description: string, read: () => number) =>
      gauge(context, name, { description, read })

    gauge(context, "peyk_build_info", {
      description: "Always 1; its labels are the versions of Peyk and Node.",
      attributes: { version, node: process.versions.node },
      read: () => 1
    })
    counterOf(context, "process_cpu_seconds_total", {
      description: "CPU time of this process, user and system.",
      read: cpuSeconds
    })
    report("process_start_time_seconds", "When this process started, in Unix time.", () => startedAt)
    report("process_resident_memory_bytes", "Memory of this process that is in RAM.", process.memoryUsage.rss)
    report("process_open_fds", "Open file descriptors, connections among them (Linux).", openFileDescriptors)
    report("nodejs_heap_size_used_bytes", "JavaScript heap in use.", () => process.memoryUsage().heapUsed)
    report("nodejs_heap_size_total_bytes", "JavaScript heap, with what is free in it.", () => {
      return process.memoryUsage().heapTotal
    })
    report("nodejs_external_memory_bytes", "Memory of buffers and the like, outside the heap.", () => {
      return process.memoryUsage().external
    })
    report(
      "nodejs_active_resources",
      "Sockets, timers and other resources that keep the event loop alive.",
      () => {
        return process.getActiveResourcesInfo().length
      }
    )
    report("nodejs_eventloop_lag_p50_seconds", "Median lag of the event loop, of the last 15 s.", p50)
    report("nodejs_eventloop_lag_p99_seconds", "99th percentile of that.", p99)
    report("nodejs_eventloop_lag_max_seconds", "The longest of that.", max)
    counterOf(context, "nodejs_eventloop_active_seconds_total", {
      description: "Time in which the event loop was busy; its rate is at most 1.",
      read: () => performance.eventLoopUtilization().active / MILLIS_PER_SECOND
    })
  })
)

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
