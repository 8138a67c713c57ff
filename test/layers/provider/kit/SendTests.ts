import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { answerSend, connected, expectOutcome, itSurvives, ProviderHttpTest } from "./AdapterTest.ts"
import { type Kind, kindsOf, optionsOf, type ProviderCase, sendKind, setUp } from "./ProviderCase.ts"
import type { Answer, FakeFarEnd, Received } from "../../../support/fakes/FakeFarEnd.ts"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isObject = (value: unknown): boolean => typeof value === "object"

const WRONG_VALUES = [{}, ["wrong"], "wrong", true, 3.5, null]

/** The value with one part of it, whichever, replaced by each of the wrong ones. */
const withWrongParts = (value: unknown): ReadonlyArray<unknown> => {
  const inside = isRecord(value)
    ? Object.entries(value).flatMap(([name, part]) =>
        withWrongParts(part).map((wrong) => ({ ...value, [name]: wrong }))
      )
    : Array.isArray(value)
      ? value.flatMap((part, index) => withWrongParts(part).map((wrong) => value.with(index, wrong)))
      : []
  return [...WRONG_VALUES.filter((wrong) => isObject(wrong) || typeof wrong !== typeof value), ...inside]
}

const jsonOf = (answer: ReturnType<FakeFarEnd["behave"]>): unknown =>
  typeof answer === "string" ? undefined : answer.json

const itSendsOne = (provider: ProviderCase, kind: Kind) => {
  it.effect("is sent as documented, and accepted", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp(provider)
      expectOutcome(yield* sendKind(provider, kind, account), { _tag: "Accepted" })
      const sent = fake.received.at(-1)
      expect(fake.received).toHaveLength((provider.opening ?? []).length + 1)
      if (sent === undefined) return expect.fail("nothing was sent")
      provider.sends[kind]?.(sent)
      expect(sent.headers).toMatchObject({ accept: "application/json", "user-agent": "peyk" })
      expect(sent.headers["traceparent"]).toBeUndefined()
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("goes to the far end that the account names", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp(provider)
      expect(account.origin).toBe(fake.url)
      const { sendsCodes, sendsTexts } = account.traits
      expect(kind === "code" ? sendsCodes : sendsTexts).toBe(true)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const answers = (provider.answers ?? []).filter(([, , , only]) => only === undefined || only === kind)
  if (answers.length > 0) {
    it.effect.each(answers)("that is answered with %s", ([, answer, expected]) =>
      Effect.gen(function* () {
        const { fake, account } = yield* setUp(provider)
        const calls = answerSend(provider, fake, answer, expected)
        expectOutcome(yield* sendKind(provider, kind, account), expected)
        expect(fake.received).toHaveLength(calls)
      }).pipe(Effect.provide(ProviderHttpTest))
    )
  }
}

/** An answer whose parts have other types than they should is no reason to break, and none to call a send refused. */
const itReadsWrongTypes = (provider: ProviderCase, kind: Kind) => {
  it.effect("that is answered with parts of wrong types is accepted or unknown", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp(provider)
      yield* sendKind(provider, kind, account)
      const [sent] = fake.received
      if (sent === undefined) return expect.fail("nothing was sent")
      for (const json of withWrongParts(provider.success ?? jsonOf(fake.behave(sent)))) {
        const wrong: Answer = { json }
        answerSend(provider, fake, wrong)
        const { _tag } = yield* sendKind(provider, kind, account)
        const said = JSON.stringify(json)
        // A null in place of a value can have a meaning of its own.
        const allowed = said.includes("null") ? ["Accepted", "Unknown", "Rejected"] : ["Accepted", "Unknown"]
        expect(allowed, said).toContain(_tag)
      }
    }).pipe(Effect.provide(ProviderHttpTest))
  )
}

/** The value with each number or boolean in it replaced by its text. */
const asTexts = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asTexts)
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, asTexts(part)]))
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value
}

const MISSING = Symbol("missing")

/** The value with another one in place of an id, wherever that is. */
const withId = (value: unknown, id: string, other: unknown): unknown => {
  if (Array.isArray(value))
    return value.map((part) => withId(part, id, other)).filter((part) => part !== MISSING)
  if (isRecord(value)) {
    const parts = Object.entries(value).map(([name, part]) => [name, withId(part, id, other)] as const)
    return Object.fromEntries(parts.filter(([, part]) => part !== MISSING))
  }
  return (typeof value === "number" || typeof value === "string") && String(value) === id ? other : value
}

const isNothing = (odd: unknown) => odd === MISSING || odd === ""

/** None of them is a number that could be an id. */
const ODD_IDS = [MISSING, "", {}, [], true, 3.5, 1e300, "a b\u0000"]
/** More than a number holds. */
const LONG_ID = "9007199254740993000"

/** What says yes is yes, and what says no is no, whatever the form of the fields beside it. */
const itReadsOtherForms = (provider: ProviderCase, kind: Kind) => {
  const sentOne = Effect.gen(function* () {
    const { fake, account } = yield* setUp(provider)
    yield* sendKind(provider, kind, account)
    const [sent] = fake.received
    const success = provider.success ?? (sent === undefined ? undefined : jsonOf(fake.behave(sent)))
    const answered = (answer: Answer) =>
      Effect.suspend(() => {
        answerSend(provider, fake, answer)
        return sendKind(provider, kind, account)
      })
    const known = yield* answered({ json: success })
    return { success, answered, messageId: known._tag === "Accepted" ? known.messageId : null }
  })

  it.effect("that is answered with numbers as texts has the same outcome", () =>
    Effect.gen(function* () {
      const { success, answered } = yield* sentOne
      expectOutcome(yield* answered({ json: asTexts(success) }), { _tag: "Accepted" })
      const refusal = provider.refusal("no")
      const [unlisted] = provider.unlisted
      if (typeof refusal !== "object") return expect.fail("a refusal without a body")
      for (const answer of [refusal, unlisted]) {
        const plain = yield* answered(answer)
        const inTexts = yield* answered({ ...answer, json: asTexts(answer.json) })
        expect(inTexts, JSON.stringify(answer.json)).toEqual(plain)
      }
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("that is accepted with an odd id, or with none, is accepted", () =>
    Effect.gen(function* () {
      const { success, answered, messageId } = yield* sentOne
      if (messageId === null) return
      const saysNothing = (odd: unknown) =>
        provider.idSaysYes === "as a number" || (provider.idSaysYes === "if there" && isNothing(odd))
      for (const odd of ODD_IDS) {
        const json = withId(success, messageId, odd)
        const expected = saysNothing(odd) ? "Unknown" : "Accepted"
        expect((yield* answered({ json }))._tag, JSON.stringify(json)).toBe(expected)
      }
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("that is accepted with a long id keeps it exactly", () =>
    Effect.gen(function* () {
      const { success, answered, messageId } = yield* sentOne
      if (messageId === null) return
      const text = JSON.stringify(withId(success, messageId, LONG_ID))
      for (const each of [text, text.replace(`"${LONG_ID}"`, LONG_ID)]) {
        expectOutcome(yield* answered({ text: each }), { _tag: "Accepted", messageId: LONG_ID })
      }
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("that is refused in a way that no document lists is refused", () =>
    Effect.gen(function* () {
      const { answered } = yield* sentOne
      const [answer, cause] = provider.unlisted
      expect(yield* answered(answer)).toMatchObject({ _tag: "Rejected", cause })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
}

/** The duty of a provider that de-duplicates: the same id again is the same message. */
const itRepeatsSafely = (provider: ProviderCase, kind: Kind) => {
  it.effect("has the same message id when it is repeated, if the account de-duplicates", () =>
    Effect.gen(function* () {
      const { account } = yield* setUp(provider)
      const first = yield* sendKind(provider, kind, account)
      const second = yield* sendKind(provider, kind, account)
      const { deduplicatesCodes, deduplicatesTexts } = account.traits
      if (kind === "code" ? deduplicatesCodes : deduplicatesTexts) expect(second).toEqual(first)
      else expect(second._tag).toBe("Accepted")
    }).pipe(Effect.provide(ProviderHttpTest))
  )
}

export const describeSends = (provider: ProviderCase) => {
  for (const kind of kindsOf(provider)) {
    describe(`${provider.name}: a ${kind}`, () => {
      itSendsOne(provider, kind)
      itReadsWrongTypes(provider, kind)
      itReadsOtherForms(provider, kind)
      itRepeatsSafely(provider, kind)
    })
    describe(`${provider.name}: a ${kind}, whatever goes wrong`, () => {
      itSurvives(
        provider.fake,
        (http, url) =>
          sendKind(
            provider,
            kind,
            connected(provider.adapter(http, url), provider.settings(url), optionsOf(provider))
          ),
        provider.survives,
        provider
      )
    })
  }
}

/** The content type of a JSON body. */
export const sentJson =
  (route: string, json: unknown, headers: Readonly<Record<string, unknown>> = {}) =>
  (sent: Received): void => {
    expect(`${sent.method} ${sent.path}`).toBe(route)
    expect(sent.json).toEqual(json)
    expect(sent.headers).toMatchObject({ "content-type": "application/json", ...headers })
  }

/** The content type of a form. */
export const sentForm =
  (route: string, fields: Readonly<Record<string, string>>) =>
  (sent: Received): void => {
    expect(`${sent.method} ${sent.path}`).toBe(route)
    expect(Object.fromEntries(new URLSearchParams(sent.body))).toEqual(fields)
    expect(sent.headers["content-type"]).toMatch(/^application\/x-www-form-urlencoded/)
  }
