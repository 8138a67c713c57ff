import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createRequire } from "node:module"
import type * as Sdk from "sms-typescript"
import { ProviderHttp } from "../../../../src/layers/provider/ProviderHttp.ts"
import { smsirAdapter } from "../../../../src/layers/provider/adapters/Smsir.ts"
import { connected, delivery, ProviderHttpTest } from "../kit/AdapterTest.ts"
import { fakeSmsir, SMSIR_KEY } from "../../../support/fakes/FakeSmsir.ts"

// Its ES modules import directories, which Node does not: the other build is loaded.
const { Smsir }: typeof Sdk = createRequire(import.meta.url)("sms-typescript")

const LINE = 30_007_732_000_000
const ENDPOINT = "https://api.sms.ir"

/** The vendor's own client, whose fixed address is turned to the fake's; all else of its requests stays. */
const withSdk = <A>(key: string, use: (sdk: Sdk.Smsir) => Promise<A>) =>
  Effect.gen(function* () {
    const fake = yield* fakeSmsir()
    const original = globalThis.fetch
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        globalThis.fetch = (input, init) => original(String(input).replace(ENDPOINT, fake.url), init)
      }),
      () => Effect.sync(() => void (globalThis.fetch = original))
    )
    const outcome = yield* Effect.result(
      Effect.tryPromise({ try: () => use(new Smsir(key, LINE)), catch: (error) => String(error) })
    )
    return { fake, outcome }
  })

describe("SMS.ir's own SDK takes the fake for SMS.ir", () => {
  it.effect("when it sends a code, and we send the same", () =>
    Effect.gen(function* () {
      const { fake, outcome } = yield* withSdk(SMSIR_KEY, (sdk) =>
        sdk.sendVerifyCode("09123456789", 123_456, [{ name: "CODE", value: "047113" }])
      )
      expect(outcome).toMatchObject({
        success: { status: 1, data: { messageId: expect.any(Number), cost: expect.any(Number) } }
      })
      expect(fake.received[0]).toMatchObject({ method: "POST", path: "/v1/send/verify/" })
      const adapter = smsirAdapter(yield* ProviderHttp, `${fake.url}/v1`)
      const account = connected(adapter, { api_key: SMSIR_KEY, otp_template_id: 123_456 })
      yield* account.sendCode(delivery("sms", { code: Redacted.make("047113") }))
      expect(fake.received[1]?.json).toEqual(fake.received[0]?.json)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("when it sends a text", () =>
    Effect.gen(function* () {
      const { outcome } = yield* withSdk(SMSIR_KEY, (sdk) => sdk.sendBulk("سلام", ["09123456789", "0912"]))
      expect(outcome).toMatchObject({
        success: { status: 1, data: { packId: expect.any(String), messageIds: [expect.any(Number), null] } }
      })
    })
  )

  it.effect("when it asks for the credit and the lines", () =>
    Effect.gen(function* () {
      const credit = yield* withSdk(SMSIR_KEY, (sdk) => sdk.getCredit())
      expect(credit.outcome).toMatchObject({ success: { status: 1, data: 18_450.5 } })
      const lines = yield* withSdk(SMSIR_KEY, (sdk) => sdk.getLineNumbers())
      expect(lines.outcome).toMatchObject({ success: { status: 1, data: [LINE] } })
    })
  )

  it.effect("when it asks what became of a message", () =>
    Effect.gen(function* () {
      const { outcome } = yield* withSdk(SMSIR_KEY, async (sdk) => {
        const { data } = await sdk.sendVerifyCode("09123456789", 123_456, [{ name: "CODE", value: "1" }])
        return sdk.reportMessage(data.messageId)
      })
      expect(outcome).toMatchObject({ success: { status: 1, data: { deliveryState: 1 } } })
    })
  )

  it.effect("when its key is wrong, and when a number is", () =>
    Effect.gen(function* () {
      const wrongKey = yield* withSdk("wrong", (sdk) => sdk.getCredit())
      expect(wrongKey.outcome).toMatchObject({ failure: expect.stringContaining("401") })
      const wrongNumber = yield* withSdk(SMSIR_KEY, (sdk) => sdk.sendVerifyCode("123", 123_456, []))
      expect(wrongNumber.outcome).toMatchObject({ failure: expect.stringContaining("400") })
    })
  )
})
