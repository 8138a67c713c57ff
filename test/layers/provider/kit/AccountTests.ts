import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { ProviderHttp } from "../../../../src/layers/provider/ProviderHttp.ts"
import { examine } from "../../../../src/services/provider/AccountExamination.ts"
import { ProviderHttpTest } from "./AdapterTest.ts"
import { checkOf } from "./CheckOf.ts"
import { kindsOf, type ProviderCase, sendKind, setUp, optionsOf } from "./ProviderCase.ts"
import { nextTurn } from "../../../support/NextTurn.ts"
import type { Scripted } from "../../../support/fakes/FakeFarEnd.ts"
import { problem } from "../../../../src/domain/Problem.ts"
import { textOf } from "../../../../src/domain/ProblemTexts.ts"

/** Answers that say nothing about the account, or about a message. */
const unreadable: ReadonlyArray<readonly [name: string, Scripted]> = [
  ["a reset", "reset"],
  ["an answer that is cut", "cut"],
  ["a page with 502", { status: 502, text: "<html>bad gateway</html>" }],
  ["an empty body", { text: "" }],
  ["JSON of another shape", { json: [1, 2, 3] }]
]

const describeSettings = (provider: ProviderCase) => {
  const given = provider.settings("http://127.0.0.1:1")
  const wrong: ReadonlyArray<readonly [settings: unknown, message: string]> = [
    ...provider.wrongSettings,
    ...provider.credentials.map((name): readonly [unknown, string] => [
      Object.fromEntries(Object.entries(given).filter(([each]) => each !== name)),
      `${name} is missing`
    ]),
    [{ ...given, unheard_of: "SECRET" }, "unheard_of is not a setting of this provider"],
    ["SECRET", "Expected object"],
    [null, "Expected object"]
  ]
  it.effect.each(wrong)("is refused with %j, in words that repeat no value", ([settings, message]) =>
    Effect.gen(function* () {
      const adapter = provider.adapter(yield* ProviderHttp, "http://127.0.0.1:1")
      const refused = adapter.connect(settings, optionsOf(provider))
      const { problems } = Result.getOrThrow(Result.flip(refused))
      const text = textOf(problem("settings_refused", { provider: null, problems }))
      expect(text).toContain(message)
      expect(text).not.toContain("SECRET")
    }).pipe(Effect.provide(ProviderHttpTest))
  )
}

const describeCheck = (provider: ProviderCase) => {
  const { check } = provider
  if (check === null) {
    it.effect("cannot be checked", () =>
      Effect.gen(function* () {
        expect((yield* setUp(provider)).account.check).toBeNull()
      }).pipe(Effect.provide(ProviderHttpTest))
    )
    return
  }
  it.effect("is checked by a call that sends nothing", () =>
    Effect.gen(function* () {
      const { account } = yield* setUp(provider)
      expect(yield* checkOf(account)).toBe(check.finds)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("says what is left to spend, if the far end does", () =>
    Effect.gen(function* () {
      const { account } = yield* setUp(provider)
      const credit = account.credit === undefined ? undefined : yield* account.credit
      expect(credit).toBe(check.credit)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("is found wrong when the far end refuses its credentials", () =>
    Effect.gen(function* () {
      const { account } = yield* setUp(provider, check.refuses)
      const problem = yield* Effect.flip(checkOf(account))
      expect(problem.isDefinite).toBe(true)
      for (const value of Object.values(check.refuses)) expect(problem.message).not.toContain(String(value))
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each(unreadable)("is not found wrong by %s", ([, answer]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp(provider)
      fake.script(answer)
      const problem = yield* Effect.flip(checkOf(account))
      expect(problem.isDefinite).toBe(false)
    }).pipe(Effect.provide(ProviderHttpTest))
  )
}

const describeReports = (provider: ProviderCase) => {
  const { reports } = provider
  if (reports === null) {
    it.effect("reports nothing of what it delivered", () =>
      Effect.gen(function* () {
        const { account } = yield* setUp(provider)
        expect(account.deliveryReport).toBeNull()
        expect(account.traits.reportsDelivery).toBe(false)
      }).pipe(Effect.provide(ProviderHttpTest))
    )
    return
  }
  it.effect.each(reports)("reports %s", ([, answer, expected]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp(provider)
      expect(account.traits.reportsDelivery).toBe(true)
      fake.script(answer)
      expect(yield* account.deliveryReport?.("42") ?? Effect.die("no reports")).toMatchObject(expected)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each(unreadable)("reports nothing by %s", ([, answer]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp(provider)
      // Some providers are asked twice.
      fake.script(answer, answer)
      const report = yield* account.deliveryReport?.("42") ?? Effect.die("no reports")
      expect(report._tag).toBe("NotKnown")
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("knows what became of a message that it accepted", () =>
    Effect.gen(function* () {
      const { account } = yield* setUp(provider)
      const [kind = "code"] = kindsOf(provider)
      const outcome = yield* sendKind(provider, kind, account)
      const messageId = outcome._tag === "Accepted" ? outcome.messageId : null
      const report = yield* account.deliveryReport?.(messageId ?? "none") ?? Effect.die("no reports")
      expect(report._tag).toBe("Delivered")
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("is asked, and checked, over another connection than a send's", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp(provider)
      const [kind = "code"] = kindsOf(provider)
      yield* Effect.andThen(sendKind(provider, kind, account), nextTurn)
      yield* Effect.andThen(account.deliveryReport?.("42") ?? Effect.void, nextTurn)
      yield* Effect.andThen(examine(account), nextTurn)
      yield* sendKind(provider, kind, account)
      const connections = fake.received.map(({ connection }) => connection)
      const calls = (provider.opening ?? []).length + 1
      const ofSend = connections.slice(0, calls)
      expect(connections.slice(-calls)).toEqual(ofSend)
      expect(connections.slice(calls, -calls).filter((each) => ofSend.includes(each))).toEqual([])
    }).pipe(Effect.provide(ProviderHttpTest))
  )
}

export const describeAccount = (provider: ProviderCase) => {
  describe(`${provider.name}: the account`, () => {
    describeSettings(provider)
    describeCheck(provider)
    describeReports(provider)
  })
}
