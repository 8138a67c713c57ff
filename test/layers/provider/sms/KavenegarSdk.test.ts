import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as http from "node:http"
import { createRequire } from "node:module"
import { ProviderHttp } from "../../../../src/layers/provider/ProviderHttp.ts"
import { kavenegarAdapter } from "../../../../src/layers/provider/adapters/Kavenegar.ts"
import { CODE, connected, delivery, ProviderHttpTest, TEXT } from "../kit/AdapterTest.ts"
import {
  fakeKavenegar,
  KAVENEGAR_KEY,
  KAVENEGAR_LINE,
  KAVENEGAR_TEMPLATE
} from "../../../support/fakes/FakeKavenegar.ts"

type Callback = (entries: unknown, status: number, message: string) => void
type Call = (fields: Readonly<Record<string, string>>, callback: Callback) => void

interface Sdk {
  readonly VerifyLookup: Call
  readonly Send: Call
  readonly CallMakeTTS: Call
  readonly Status: Call
  readonly AccountInfo: Call
}

const require = createRequire(import.meta.url)
const {
  KavenegarApi
}: { readonly KavenegarApi: (options: { readonly apikey: string }) => Sdk } = require("kavenegar")
const httpModule: { request: typeof http.request } = require("node:http")
const original = httpModule.request

/** The vendor's own client, whose fixed address is turned to the fake's; all else of its requests stays. */
const withSdk = <A>(key: string, use: (sdk: Sdk) => Promise<A>) =>
  Effect.gen(function* () {
    const fake = yield* fakeKavenegar()
    const { port } = new URL(fake.url)
    const turned = (options: http.RequestOptions, callback: (response: http.IncomingMessage) => void) =>
      original(
        { ...options, host: "127.0.0.1", port, path: String(options.path).replace(/^http:\/\/[^/]+/, "") },
        callback
      )
    yield* Effect.acquireRelease(
      Effect.sync(() => void Object.assign(httpModule, { request: turned })),
      () => Effect.sync(() => void Object.assign(httpModule, { request: original }))
    )
    const answer = yield* Effect.promise(() => use(KavenegarApi({ apikey: key })))
    return { fake, answer }
  })

const called = (call: Call, fields: Readonly<Record<string, string>>) =>
  new Promise<{ readonly entries: unknown; readonly status: number }>((resolve) =>
    call(fields, (entries, status) => resolve({ entries, status }))
  )

const fieldsOf = (body = "") => Object.fromEntries(new URLSearchParams(body))

describe("Kavenegar's own SDK takes the fake for Kavenegar", () => {
  it.effect("when it sends a code, and we send the same", () =>
    Effect.gen(function* () {
      const { fake, answer } = yield* withSdk(KAVENEGAR_KEY, (sdk) =>
        called((...given) => sdk.VerifyLookup(...given), {
          receptor: "09123456789",
          token: CODE,
          template: KAVENEGAR_TEMPLATE
        })
      )
      expect(answer).toMatchObject({ status: 200, entries: [{ messageid: expect.any(Number), status: 5 }] })
      const adapter = kavenegarAdapter(yield* ProviderHttp, `${fake.url}/v1`)
      const account = connected(adapter, { api_key: KAVENEGAR_KEY, otp_template: KAVENEGAR_TEMPLATE })
      yield* account.sendCode(delivery("sms"))
      const [theirs, ours] = fake.received
      expect([ours?.method, ours?.path]).toEqual([theirs?.method, theirs?.path])
      expect(fieldsOf(ours?.body)).toEqual(fieldsOf(theirs?.body))
      expect(ours?.headers["content-type"]?.toLowerCase()).toBe(
        theirs?.headers["content-type"]?.toLowerCase()
      )
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("when it sends a text, and we send the same with an id", () =>
    Effect.gen(function* () {
      const { fake, answer } = yield* withSdk(KAVENEGAR_KEY, (sdk) =>
        called((...given) => sdk.Send(...given), {
          receptor: "09123456789",
          message: "hello",
          sender: KAVENEGAR_LINE
        })
      )
      expect(answer).toMatchObject({ status: 200, entries: [{ status: 1, sender: KAVENEGAR_LINE }] })
      const adapter = kavenegarAdapter(yield* ProviderHttp, `${fake.url}/v1`)
      yield* connected(adapter, { api_key: KAVENEGAR_KEY, sender: KAVENEGAR_LINE }).sendText(delivery("sms"))
      const [theirs, ours] = fake.received
      expect(ours?.path).toBe(theirs?.path)
      expect(fieldsOf(ours?.body)).toEqual({
        ...fieldsOf(theirs?.body),
        message: TEXT,
        localid: expect.stringMatching(/^\d{1,19}$/)
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("when it calls somebody, and we do the same", () =>
    Effect.gen(function* () {
      const { fake, answer } = yield* withSdk(KAVENEGAR_KEY, (sdk) =>
        called((...given) => sdk.CallMakeTTS(...given), { receptor: "09123456789", message: TEXT })
      )
      expect(answer).toMatchObject({
        status: 200,
        entries: [{ messageid: expect.any(Number), status: 1, message: TEXT, receptor: "09123456789" }]
      })
      const adapter = kavenegarAdapter(yield* ProviderHttp, `${fake.url}/v1`)
      const options = { channel: "voice", allowsPrivateAddresses: false }
      yield* connected(adapter, { api_key: KAVENEGAR_KEY }, options).sendCode(delivery("voice"))
      const [theirs, ours] = fake.received
      expect([ours?.method, ours?.path]).toEqual([theirs?.method, theirs?.path])
      expect(fieldsOf(ours?.body)).toEqual(fieldsOf(theirs?.body))
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("when it has a template read out, and we do the same", () =>
    Effect.gen(function* () {
      const fields = { receptor: "09123456789", token: CODE, template: KAVENEGAR_TEMPLATE, type: "call" }
      const { fake, answer } = yield* withSdk(KAVENEGAR_KEY, (sdk) =>
        called((...given) => sdk.VerifyLookup(...given), fields)
      )
      expect(answer.status).toBe(200)
      const adapter = kavenegarAdapter(yield* ProviderHttp, `${fake.url}/v1`)
      const options = { channel: "voice", allowsPrivateAddresses: false }
      const settings = { api_key: KAVENEGAR_KEY, otp_template: KAVENEGAR_TEMPLATE }
      yield* connected(adapter, settings, options).sendCode(delivery("voice"))
      const [theirs, ours] = fake.received
      expect(fieldsOf(ours?.body)).toEqual(fieldsOf(theirs?.body))
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("when it asks for the account and for a report", () =>
    Effect.gen(function* () {
      const account = yield* withSdk(KAVENEGAR_KEY, (sdk) =>
        called((...given) => sdk.AccountInfo(...given), {})
      )
      expect(account.answer).toMatchObject({ status: 200, entries: { remaincredit: 1_500_000 } })
      const report = yield* withSdk(KAVENEGAR_KEY, (sdk) =>
        called((...given) => sdk.Status(...given), { messageid: "1" })
      )
      expect(report.answer).toMatchObject({ status: 200, entries: [{ messageid: 1, status: 100 }] })
    })
  )

  it.effect("when its key is wrong, and when its template is", () =>
    Effect.gen(function* () {
      const wrongKey = yield* withSdk("wrong", (sdk) => called((...given) => sdk.AccountInfo(...given), {}))
      expect(wrongKey.answer.status).toBe(403)
      const wrongTemplate = yield* withSdk(KAVENEGAR_KEY, (sdk) =>
        called((...given) => sdk.VerifyLookup(...given), {
          receptor: "09123456789",
          token: CODE,
          template: "another"
        })
      )
      expect(wrongTemplate.answer.status).toBe(424)
    })
  )
})
