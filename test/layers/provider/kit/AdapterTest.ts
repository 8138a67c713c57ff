import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Result, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { type AddressInfo, createServer } from "node:net"
import { Phone } from "../../../../src/domain/Phone.ts"
import {
  type AttemptErrorCode,
  attemptResult,
  type ProviderOutcome
} from "../../../../src/domain/ProviderOutcome.ts"
import { type Channel, channelType } from "../../../../src/domain/routing/Channel.ts"
import { ProviderConnections, ProviderHttp } from "../../../../src/layers/provider/ProviderHttp.ts"
import type {
  Addressed,
  ConnectOptions,
  ProviderAdapter,
  ProviderConnection
} from "../../../../src/services/provider/ProviderAdapter.ts"
import type { CodeDelivery } from "../../../../src/services/provider/Providers.ts"
import { nextTurn } from "../../../support/NextTurn.ts"
import type { FakeFarEnd, Scripted } from "../../../support/fakes/FakeFarEnd.ts"

export const PHONE = Phone.make("+989123456789")
export const CODE = "047113"
export const TEXT = "کد شما: 047113"
export const CHAT_ID = "484848"

/** The client that the service itself uses, on a clock that the test moves. */
export const ProviderHttpTest = Layer.provide(ProviderHttp.layer, ProviderConnections.layer)

export const delivery = (
  channel: Channel,
  changes: Partial<Addressed<CodeDelivery>> = {}
): Addressed<CodeDelivery> => ({
  attemptId: "0195f7a0-0000-7000-8000-000000000001-1",
  customerId: 1,
  step: {
    channel,
    account_id: 1,
    descriptor: {
      type: channelType(channel),
      provider: channel,
      credential_id: 1,
      label: "a"
    }
  },
  phone: PHONE,
  chatId: CHAT_ID,
  code: Redacted.make(CODE),
  text: Redacted.make(TEXT),
  expiresAt: 300_000,
  ...changes
})

/** The connection of good settings. */
export const connected = (
  adapter: ProviderAdapter,
  settings: unknown,
  options: ConnectOptions = { allowsPrivateAddresses: true }
): ProviderConnection => Result.getOrThrow(adapter.connect(settings, options))

type Tag = ProviderOutcome["_tag"]

/**
 * The expected outcome: its class, how the attempt is kept, and more of its fields where they matter. A contact that
 * is not expected to be lost must not be.
 */
export interface Expected {
  readonly _tag: Tag
  readonly error_code?: AttemptErrorCode | null
  readonly [field: string]: unknown
}

export const expectOutcome = (outcome: ProviderOutcome, { error_code = null, ...fields }: Expected) => {
  expect(outcome).toMatchObject(fields)
  expect(outcome._tag === "Rejected" && outcome.isContactLost === true).toBe(fields["isContactLost"] === true)
  const { status, error_code: kept } = attemptResult(outcome)
  expect({ status, error_code: kept }).toEqual({
    status: fields._tag === "Accepted" ? "sent" : "failed",
    error_code
  })
}

const unknown: Expected = { _tag: "Unknown", error_code: "provider_outcome_unknown" }
const unavailable: Expected = { _tag: "Unavailable", error_code: "provider_unavailable" }
const throttled: Expected = { _tag: "Throttled", error_code: "provider_rate_limited" }

/** Failures of any provider, as its far end shows them, and the outcome. */
const answered: ReadonlyArray<readonly [string, Scripted, Expected]> = [
  ["a reset after the body was sent", "reset", unknown],
  ["an answer that is cut in the middle", "cut", unknown],
  ["an empty body", { text: "" }, unknown],
  ["HTML instead of JSON", { text: "<html>hello</html>", headers: { "content-type": "text/html" } }, unknown],
  ["an answer of 10 MB", { text: `{"a":"${"x".repeat(10_000_000)}"}` }, unknown],
  ["JSON of another shape", { json: [1, 2, 3] }, unknown],
  ["JSON nested without end", { text: "[".repeat(100_000) }, unknown],
  ["a page with 500", { status: 500, text: "<html>oops</html>" }, unknown],
  ["a page with 502", { status: 502, text: "<html>bad gateway</html>" }, unknown],
  ["a page with 503", { status: 503, text: "<html>busy</html>" }, unknown],
  [
    "a page with 503 and Retry-After",
    { status: 503, text: "<html>busy</html>", headers: { "retry-after": "7" } },
    unavailable
  ],
  ["a page with 429", { status: 429, text: "slow down" }, { ...throttled, retryAfterMillis: null }],
  [
    "a page with 429 and Retry-After in seconds",
    { status: 429, text: "slow down", headers: { "retry-after": "17" } },
    { ...throttled, retryAfterMillis: 17_000 }
  ],
  [
    "a page with 429 and Retry-After as a date",
    { status: 429, text: "slow down", headers: { "retry-after": "Thu, 01 Jan 1970 00:01:30 GMT" } },
    { ...throttled, retryAfterMillis: 90_000 }
  ],
  [
    "a page with 429 and Retry-After twice",
    { status: 429, text: "slow down", headers: { "retry-after": ["17", "5"] } },
    { ...throttled, retryAfterMillis: 17_000 }
  ],
  ["a page with 408", { status: 408, text: "<html>too slow</html>" }, unknown],
  ["a page with 425", { status: 425, text: "<html>too early</html>" }, unavailable],
  [
    "a page with 403",
    { status: 403, text: "<html>forbidden</html>" },
    { _tag: "Rejected", cause: "configuration", error_code: "provider_misconfigured" }
  ],
  [
    "a redirect, which is not followed",
    { status: 302, text: "", headers: { location: "/elsewhere" } },
    { _tag: "Rejected", cause: "configuration", error_code: "provider_misconfigured" }
  ],
  [
    "a page with 400",
    { status: 400, text: "bad" },
    { _tag: "Rejected", cause: "request", error_code: "provider_rejected" }
  ]
]

/** More than is read of an answer to a send, and less than of an answer to anything else. */
export const LONG_WORDS = "x".repeat(1_000_000)

/** Accepts connections and never says a word. */
const silentPort = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ port: number; connected: Promise<void>; close: () => void }>((resolve) => {
        const first = Promise.withResolvers<void>()
        const server = createServer((socket) => {
          socket.on("error", () => {})
          first.resolve()
        })
        server.listen(0, "127.0.0.1", () =>
          resolve({
            port: (server.address() as AddressInfo).port,
            connected: first.promise,
            close: () => server.close()
          })
        )
      })
  ),
  ({ close }) => Effect.sync(close)
)

const closedPort = Effect.map(Effect.scoped(silentPort), ({ port }) => port)

/** The calls that make one send. */
export interface SendCalls {
  /** The answers to the calls before the send itself; absent: there are none. */
  readonly opening?: ReadonlyArray<Scripted>
  /** The adapter itself repeats a send whose answer was lost. */
  readonly repeats?: true
}

/** Lets the far end answer a send so, with all the calls that belong to it. */
export const answerSend = (
  { opening = [], repeats }: SendCalls,
  fake: FakeFarEnd,
  answer: Scripted,
  expected?: Expected
) => {
  const isRepeated = repeats === true && expected?._tag === "Unknown"
  fake.script(...opening, answer, ...(isRepeated ? [answer] : []))
  return opening.length + (isRepeated ? 2 : 1)
}

/** Tests of a provider against everything that can go wrong on the way to it, whatever the provider. */
export const itSurvives = (
  makeFake: Effect.Effect<FakeFarEnd, never, Scope.Scope>,
  /** A send over an account of the provider at this address. */
  sendOver: (http: ProviderHttp["Service"], url: string) => Effect.Effect<ProviderOutcome>,
  /** Some providers say something else by a status. */
  exceptions: Readonly<Record<string, Expected>> = {},
  calls: SendCalls = {}
) => {
  const withFake = Effect.gen(function* () {
    const fake = yield* makeFake
    return { fake, http: yield* ProviderHttp }
  })

  it.effect.each(answered)("survives %s", ([name, answer, expected]) =>
    Effect.gen(function* () {
      const { fake, http } = yield* withFake
      const meant = exceptions[name] ?? expected
      const count = answerSend(calls, fake, answer, meant)
      expectOutcome(yield* sendOver(http, fake.url), meant)
      expect(fake.received).toHaveLength(count)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([
    ["says nothing", "silence"],
    ["stops in the middle of its answer", "stall"]
  ] as const)("waits no longer than the time-out when the provider %s", ([, fault]) =>
    Effect.gen(function* () {
      const { fake, http } = yield* withFake
      answerSend(calls, fake, fault, unknown)
      const sending = yield* Effect.forkChild(sendOver(http, fake.url))
      yield* fake.arrived((calls.opening ?? []).length + 1)
      yield* TestClock.adjust("10 seconds")
      expectOutcome(yield* Fiber.join(sending), unknown)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("is unavailable when the connection is refused", () =>
    Effect.gen(function* () {
      const http = yield* ProviderHttp
      expectOutcome(yield* sendOver(http, `http://127.0.0.1:${yield* closedPort}`), unavailable)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("is unavailable when there is no connection in time, before anything was sent", () =>
    Effect.gen(function* () {
      const http = yield* ProviderHttp
      const { port, connected } = yield* silentPort
      const sending = yield* Effect.forkChild(sendOver(http, `https://127.0.0.1:${port}`))
      yield* Effect.promise(() => connected)
      yield* TestClock.adjust("5 seconds")
      expectOutcome(yield* Fiber.join(sending), unavailable)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("reads JSON of a wrong content type", () =>
    Effect.gen(function* () {
      const { fake, http } = yield* withFake
      fake.script((received) => {
        const answer = fake.behave(received)
        return typeof answer === "string" ? answer : { ...answer, headers: { "content-type": "text/html" } }
      })
      expectOutcome(yield* sendOver(http, fake.url), { _tag: "Accepted" })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("keeps its connection for the next send", () =>
    Effect.gen(function* () {
      const { fake, http } = yield* withFake
      yield* sendOver(http, fake.url)
      const first = fake.received.map(({ connection }) => connection)
      yield* nextTurn
      yield* sendOver(http, fake.url)
      const second = fake.received.slice(first.length).map(({ connection }) => connection)
      expect(second).toEqual(first)
    }).pipe(Effect.provide(ProviderHttpTest))
  )
}
