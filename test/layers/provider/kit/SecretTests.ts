import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Logger, References, Tracer } from "effect"
import { inspect } from "node:util"
import { withoutPrivateParts } from "../../../../src/domain/ProviderOutcome.ts"
import { maskCredentials } from "../../../../src/layers/provider/ConnectedAccounts.ts"
import type { AccountProblem } from "../../../../src/services/provider/ProviderAdapter.ts"
import { CODE, PHONE, ProviderHttpTest, TEXT } from "./AdapterTest.ts"
import { type Kind, kindsOf, type ProviderCase, sendKind, setUp } from "./ProviderCase.ts"
import type { Received, Scripted } from "../../../support/fakes/FakeFarEnd.ts"

/** Every log line and span of an effect, and all that they hold. */
const watch = () => {
  const seen: Array<string> = []
  const spans: Array<Tracer.NativeSpan> = []
  const logger = Logger.make(({ message, cause }) => void seen.push(inspect([message, cause], { depth: 9 })))
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const layer = Layer.mergeAll(
    Logger.layer([logger]),
    Layer.succeed(References.MinimumLogLevel, "All"),
    Layer.succeed(Tracer.Tracer, tracer)
  )
  const written = () =>
    [...seen, ...spans.map(({ name, attributes, status }) => inspect([name, attributes, status]))].join("\n")
  return { layer, written }
}

const faults: ReadonlyArray<Scripted> = [
  "reset",
  "cut",
  { status: 500, text: "<html>oops</html>" },
  { status: 302, text: "", headers: { location: "/elsewhere" } },
  { json: [1, 2, 3] }
]

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text
  }
}

/** All of a request, as a far end that repeats what it was sent could put it in words. */
const wordsOf = ({ path, query, headers, body }: Received): string =>
  [path, String(query), ...Object.values(headers), body]
    .flatMap((part = "") => [part, decoded(part)])
    .join(" ")

const privateParts = (kind: Kind) => ({ phone: PHONE, text: TEXT, code: kind === "code" ? CODE : "" })

export const describeSecrets = (provider: ProviderCase) => {
  describe(`${provider.name}: secrets`, () => {
    const secretsIn = (settings: Readonly<Record<string, unknown>>) => [
      ...provider.credentials.map((name) => String(settings[name])),
      TEXT,
      PHONE.slice("+98".length)
    ]

    it.effect.each(kindsOf(provider))("are in no log, span or outcome, whatever happens to a %s", (kind) => {
      const { layer, written } = watch()
      return Effect.gen(function* () {
        const { fake, settings, account } = yield* setUp(provider)
        fake.script(...faults)
        const outcomes = yield* Effect.forEach([...faults, "success"], () =>
          sendKind(provider, kind, account).pipe(Effect.tap(Effect.logDebug), Effect.withSpan("a send"))
        )
        const shown = `${written()} ${JSON.stringify(outcomes)}`
        expect(written()).toContain("a send")
        for (const secret of secretsIn(settings)) expect(shown).not.toContain(secret)
      }).pipe(Effect.provide(Layer.provideMerge(ProviderHttpTest, layer)))
    })

    /** A far end that repeats the request. */
    const repeat = (received: Received) => {
      const answer = provider.refusal(wordsOf(received))
      return typeof answer === "function" ? answer(received) : answer
    }

    it.effect.each(kindsOf(provider))("are hidden where a refusal of a %s repeats the request", (kind) =>
      Effect.gen(function* () {
        const { fake, settings, account } = yield* setUp(provider)
        fake.script(repeat)
        const outcome = yield* sendKind(provider, kind, maskCredentials(account, settings))
        if (outcome._tag === "Accepted") return expect.fail("a refusal was accepted")
        const words = withoutPrivateParts(outcome.providerError, privateParts(kind))
        for (const secret of secretsIn(settings)) expect(words).not.toContain(secret)
      }).pipe(Effect.provide(ProviderHttpTest))
    )

    it.effect("are hidden where the account is asked about, and the refusal repeats the question", () =>
      Effect.gen(function* () {
        const { fake, settings, account } = yield* setUp(provider)
        const { check, credit } = maskCredentials(account, settings)
        for (const question of [check, credit]) {
          if (question == null) continue
          fake.script(repeat)
          // Some refusals of a send have another meaning here.
          const words = yield* Effect.match<unknown, AccountProblem, never, string, string>(question, {
            onSuccess: String,
            onFailure: ({ message }) => message
          })
          for (const secret of secretsIn(settings)) expect(words).not.toContain(secret)
        }
      }).pipe(Effect.provide(ProviderHttpTest))
    )
  })
}
