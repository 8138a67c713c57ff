import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { RequestMetrics } from "../../../src/http/server/RequestMetrics.ts"

/** Metrics of its own for each test. */
const counted = <A, E>(effect: Effect.Effect<A, E, RequestMetrics>) =>
  Effect.provide(effect, RequestMetrics.layer).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))

const lines = Effect.map(PrometheusMetrics.format(), (text) => text.split("\n"))

describe("the metrics of requests", () => {
  it.effect("count each answer by route, method, status and code", () =>
    counted(
      Effect.gen(function* () {
        const { begin } = yield* RequestMetrics
        begin("/v1/otp/send", "POST")(200)
        begin("/v1/otp/send", "POST")(200)
        begin("/v1/otp/send", "POST")(422, "invalid_phone")
        begin("/v1/otp/send", "POST")(422, "validation_error")
        const text = yield* lines
        assert.include(text, 'peyk_http_requests_total{route="/v1/otp/send",method="POST",status="200"} 2')
        for (const code of ["invalid_phone", "validation_error"]) {
          const labels = `route="/v1/otp/send",method="POST",status="422",code="${code}"`
          assert.include(text, `peyk_http_requests_total{${labels}} 1`)
        }
      })
    )
  )

  it.effect("measure in seconds how long requests took", () =>
    counted(
      Effect.gen(function* () {
        const { begin } = yield* RequestMetrics
        const answered = begin("/healthz", "GET")
        yield* TestClock.adjust("40 millis")
        answered(200)
        const text = yield* lines
        const of = (suffix: string, le = "") =>
          `peyk_http_request_duration_seconds_${suffix}{route="/healthz",method="GET"${le}}`
        assert.include(text, `${of("bucket", ',le="0.025"')} 0`)
        assert.include(text, `${of("bucket", ',le="0.05"')} 1`)
        assert.include(text, `${of("sum")} 0.04`)
      })
    )
  )

  it.effect("count how many requests are not answered yet", () =>
    counted(
      Effect.gen(function* () {
        const { begin } = yield* RequestMetrics
        const first = begin("/a", "GET")
        begin("/b", "GET")
        first(200)
        assert.include(yield* lines, "peyk_http_requests_in_flight 1")
      })
    )
  )

  it.effect("have one series for all methods that nobody knows", () =>
    counted(
      Effect.gen(function* () {
        const { begin } = yield* RequestMetrics
        for (const method of ["PROPFIND", "MKCOL", "LOCK"]) begin("/a", method)(405, "method_not_allowed")
        const labels = 'route="/a",method="other",status="405",code="method_not_allowed"'
        assert.include(yield* lines, `peyk_http_requests_total{${labels}} 3`)
      })
    )
  )

  it.effect("have every refusal from the start, so that the first one is seen as a rise", () =>
    counted(
      Effect.gen(function* () {
        yield* RequestMetrics
        const text = yield* lines
        assert.include(text, "peyk_wallet_refusals_total 0")
        for (const limit of ["key_minute", "phone_hour", "phone_day", "monthly_quota", "sign_ins"]) {
          assert.include(text, `peyk_limit_refusals_total{limit="${limit}"} 0`)
        }
      })
    )
  )
})
