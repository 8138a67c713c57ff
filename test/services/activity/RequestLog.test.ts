import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Metric, Scope } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import type { RequestBlock, SentBody } from "../../../src/domain/LoggedRequest.ts"
import { Phone } from "../../../src/domain/Phone.ts"
import { defaultSettings, Settings } from "../../../src/services/Settings.ts"
import { RequestLog } from "../../../src/services/activity/RequestLog.ts"
import { memoryRequestStore } from "../../support/MemoryRequestStore.ts"

const [ONE, OTHER] = [Phone.make("+989121234567"), Phone.make("+989351234567")]
const key = { customerId: 7, keyId: 3, mode: "live" } as const

const logging = (store: ReturnType<typeof memoryRequestStore>, requestLogDays = 3) =>
  RequestLog.layer.pipe(
    Layer.provide(store.layer),
    Layer.provide(Layer.succeed(Settings, { ...defaultSettings, requestLogDays }))
  )

/** Metrics of its own for each test. */
const within =
  (layer: ReturnType<typeof logging>) =>
  <A, E>(effect: Effect.Effect<A, E, RequestLog>) =>
    Effect.provide(effect, layer).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))

const answerOne = Effect.map(RequestLog, ({ begin }) => {
  const notes = begin("/v1/otp/send", "POST", "the-id")
  notes.key(key)
  notes.responded(200, undefined)
})

const requestsIn = (blocks: ReadonlyArray<RequestBlock>) =>
  blocks.flatMap(({ requests }) => requests.map((text) => JSON.parse(text) as ReadonlyArray<unknown>))

const dropped = Effect.map(
  PrometheusMetrics.format(),
  (text) => /peyk_request_log_dropped_total (\d+)/.exec(text)?.[1]
)

describe("the request log", () => {
  it.effect("writes a request a second later: what it was, how long it took, and a masked phone", () => {
    const store = memoryRequestStore()
    return within(logging(store))(
      Effect.gen(function* () {
        const { begin } = yield* RequestLog
        const notes = begin("/v1/otp/send", "POST", "the-id")
        notes.key(key)
        notes.phone("0912 123 4567")
        yield* TestClock.adjust("12 millis")
        notes.subject("the-verification")
        notes.responded(429, "too_many_requests_phone_hour")
        assert.lengthOf(store.blocks, 0)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(
          store.blocks.map(({ customerId, endsAt }) => [customerId, endsAt]),
          [[7, 12]]
        )
        assert.deepStrictEqual(requestsIn(store.blocks), [
          [
            12,
            "the-id",
            "/v1/otp/send",
            "POST",
            429,
            "too_many_requests_phone_hour",
            12_000,
            3,
            "live",
            "+98912***4567",
            "the-verification"
          ]
        ])
      })
    )
  })

  it.effect("hands over the phones of refusals only, each at its request's place", () => {
    const store = memoryRequestStore()
    return within(logging(store))(
      Effect.gen(function* () {
        const { begin } = yield* RequestLog
        const answered = (phone: string, status: number) => {
          const notes = begin("/v1/otp/send", "POST", "the-id")
          notes.key(key)
          notes.phone(phone)
          notes.responded(status, undefined)
        }
        answered("09121234567", 200)
        yield* TestClock.adjust("1 second")
        answered("09121234567", 200)
        answered("0912 123 4567", 403)
        answered("nothing", 422)
        answered("09121234567", 499)
        answered("09121234567", 503)
        answered("09351234567", 429)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(
          store.blocks.map(({ refusedPhones }) => refusedPhones),
          [null, [null, ONE, null, null, null, OTHER]]
        )
      })
    )
  })

  it.effect("keeps of a body how it is sent, and nothing of what or to whom", () => {
    const store = memoryRequestStore()
    return within(logging(store))(
      Effect.gen(function* () {
        const { begin } = yield* RequestLog
        const answered = (body: SentBody) => {
          const notes = begin("/v1/otp/send", "POST", "the-id")
          notes.key(key)
          notes.body(body)
          notes.responded(200, undefined)
        }
        const secret = "my secret 123456"
        const other = {
          phone: secret,
          to: secret,
          code: secret,
          message: secret,
          metadata: { secret },
          client: { ip: secret }
        }
        answered({
          ...other,
          channels: ["bale", { channel: "sms", account_id: 3, wait: 60, provider: "smsir", sender: null }],
          channel_timeout: 75,
          template_id: "12",
          locale: "en"
        })
        const template = { id: 4, parameters: { secret } }
        answered({ ...other, channels: "eitaa", template, strategy: "broadcast", delay: "5m" })
        answered({ ...other, channels: [secret, { channel: secret }], strategy: secret, delay: secret })
        answered({ ...other, locale: null })
        yield* TestClock.adjust("1 second")
        const kept = requestsIn(store.blocks).map((fields) => fields[11])
        assert.deepStrictEqual(kept, [
          {
            channels: ["bale", { channel: "sms", account_id: 3, provider: "smsir", wait: 60 }],
            channel_timeout: 75,
            template_id: 12,
            locale: "en"
          },
          { channels: "eitaa", template: { id: 4 }, strategy: "broadcast", delay: "5m" },
          { channels: ["…", { channel: "…" }], strategy: "…", delay: "…" },
          undefined
        ])
        assert.notInclude(JSON.stringify(store.blocks), "secret")
      })
    )
  })

  it.effect("keeps nothing of a request without a valid key", () => {
    const store = memoryRequestStore()
    return within(logging(store))(
      Effect.gen(function* () {
        const { begin } = yield* RequestLog
        begin("/v1/otp/send", "POST", "the-id").responded(401, "unauthenticated")
        yield* TestClock.adjust("2 seconds")
        assert.lengthOf(store.blocks, 0)
      })
    )
  })

  it.effect("keeps no phone that is none, as it could be anything", () => {
    const store = memoryRequestStore()
    return within(logging(store))(
      Effect.gen(function* () {
        const { begin } = yield* RequestLog
        const notes = begin("/v1/otp/send", "POST", "the-id")
        notes.key(key)
        notes.phone("my password")
        notes.responded(422, "invalid_phone")
        yield* TestClock.adjust("1 second")
        assert.isNull(requestsIn(store.blocks)[0]?.[9])
      })
    )
  })

  it.effect("has blocks of one customer, each small enough for a page of PostgreSQL", () => {
    const store = memoryRequestStore()
    return within(logging(store))(
      Effect.gen(function* () {
        yield* Effect.replicateEffect(answerOne, 100)
        yield* TestClock.adjust("1 second")
        assert.lengthOf(requestsIn(store.blocks), 100)
        for (const { requests } of store.blocks) assert.isBelow(requests.join().length, 8000)
      })
    )
  })

  it.effect("drops requests, and counts them, while the store does not answer and the buffer is full", () =>
    Effect.gen(function* () {
      const answers = yield* Deferred.make<void>()
      const store = memoryRequestStore(Deferred.await(answers))
      yield* within(logging(store))(
        Effect.gen(function* () {
          yield* answerOne
          yield* TestClock.adjust("1 second")
          yield* Effect.replicateEffect(answerOne, 20_005)
          assert.strictEqual(yield* dropped, "5")
          yield* Deferred.succeed(answers, undefined)
        })
      )
      assert.lengthOf(requestsIn(store.blocks), 20_001)
    })
  )

  it.effect("counts what the store did not take, and goes on", () => {
    const store = memoryRequestStore(Effect.die("the store is away"))
    return within(logging(store))(
      Effect.gen(function* () {
        yield* answerOne
        yield* TestClock.adjust("1 second")
        yield* answerOne
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* dropped, "2")
      })
    )
  })

  it.effect("writes full blocks within a tenth of a second", () => {
    const store = memoryRequestStore()
    return within(logging(store))(
      Effect.gen(function* () {
        yield* Effect.replicateEffect(answerOne, 50)
        yield* TestClock.adjust("100 millis")
        assert.deepStrictEqual(
          store.blocks.map(({ requests }) => requests.length),
          [40]
        )
      })
    )
  })

  it.effect("writes what it has for a reader who asks", () => {
    const store = memoryRequestStore()
    return within(logging(store))(
      Effect.gen(function* () {
        const { flush } = yield* RequestLog
        yield* answerOne
        yield* flush
        assert.lengthOf(store.blocks, 1)
      })
    )
  })

  it.effect("loses nothing if the reader leaves while it writes", () =>
    Effect.gen(function* () {
      const answers = yield* Deferred.make<void>()
      const store = memoryRequestStore(Deferred.await(answers))
      yield* within(logging(store))(
        Effect.gen(function* () {
          const { flush } = yield* RequestLog
          yield* answerOne
          const reader = yield* Effect.forkChild(flush, { startImmediately: true })
          yield* Fiber.interrupt(reader)
          yield* Deferred.succeed(answers, undefined)
          yield* flush
          assert.lengthOf(store.blocks, 1)
        })
      )
    })
  )

  it.effect("writes what it has when the process stops", () => {
    const store = memoryRequestStore()
    return Effect.gen(function* () {
      yield* within(logging(store))(answerOne)
      assert.lengthOf(store.blocks, 1)
    })
  })

  it.effect("finishes what it is writing when the process stops, and counts none of it as dropped", () =>
    Effect.gen(function* () {
      const answers = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const store = memoryRequestStore(
        Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(answers))
      )
      const process = yield* Scope.make()
      const log = yield* Layer.buildWithScope(logging(store), process)
      yield* Effect.provideContext(answerOne, log)
      yield* Effect.forkChild(Context.get(log, RequestLog).flush, { startImmediately: true })
      yield* Deferred.await(begun)
      const stop = yield* Effect.forkChild(Scope.close(process, Exit.void), { startImmediately: true })
      yield* Deferred.succeed(answers, undefined)
      yield* Fiber.join(stop)
      assert.lengthOf(requestsIn(store.blocks), 1)
      assert.strictEqual(yield* dropped, "0")
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect("writes for all readers that wait at once", () =>
    Effect.gen(function* () {
      const answers = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const store = memoryRequestStore(
        Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(answers))
      )
      yield* within(logging(store))(
        Effect.gen(function* () {
          const { flush } = yield* RequestLog
          yield* answerOne
          const early = yield* Effect.forkChild(flush, { startImmediately: true })
          yield* Deferred.await(begun)
          yield* answerOne
          const late = yield* Effect.forkChild(Effect.all([flush, flush, flush], { concurrency: 3 }), {
            startImmediately: true
          })
          yield* Deferred.succeed(answers, undefined)
          yield* Fiber.joinAll([early, late])
          assert.lengthOf(requestsIn(store.blocks), 2)
          assert.lengthOf(store.blocks, 2)
        })
      )
    })
  )

  it.effect("is off with 0 days", () => {
    const store = memoryRequestStore()
    return within(logging(store, 0))(
      Effect.gen(function* () {
        yield* answerOne
        yield* TestClock.adjust("2 seconds")
        assert.lengthOf(store.blocks, 0)
      })
    )
  })
})
