import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createRequire } from "node:module"
import { ProviderHttp } from "../../../../src/layers/provider/ProviderHttp.ts"
import { smsirAdapter } from "../../../../src/layers/provider/adapters/Smsir.ts"
import { CODE, connected, delivery, ProviderHttpTest, TEXT } from "../kit/AdapterTest.ts"
import { hasTools, loadTool } from "./SdkTools.ts"
import type { Received } from "../../../support/fakes/FakeFarEnd.ts"
import { fakeSmsir, SMSIR_KEY } from "../../../support/fakes/FakeSmsir.ts"

const LINE = 30_007_732_000_000
const TEMPLATE = 123_456

interface Sdk {
  readonly SendBulk: (text: string, mobiles: ReadonlyArray<string>) => Promise<{ readonly data: unknown }>
  readonly SendVerifyCode: (
    mobile: string,
    template: number,
    parameters: ReadonlyArray<object>
  ) => Promise<{ readonly data: unknown }>
}
interface Axios {
  readonly interceptors: {
    readonly request: {
      readonly use: (change: (config: { url: string }) => object) => number
      readonly eject: (id: number) => void
    }
  }
}

/** The older of the vendor's two clients, whose fixed address leads to the fake. */
const setUp = Effect.gen(function* () {
  const fake = yield* fakeSmsir()
  const { Smsir }: { readonly Smsir: new (key: string, line: number) => Sdk } = loadTool("smsir-js")
  const { interceptors }: Axios = createRequire(loadTool.resolve("smsir-js"))("axios")
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      interceptors.request.use((config) => ({
        ...config,
        url: config.url.replace("https://api.sms.ir", fake.url)
      }))
    ),
    (id) => Effect.sync(() => interceptors.request.eject(id))
  )
  const account = connected(smsirAdapter(yield* ProviderHttp, `${fake.url}/v1`), {
    api_key: SMSIR_KEY,
    line_number: LINE,
    otp_template_id: TEMPLATE
  })
  return { fake, account, sdk: new Smsir(SMSIR_KEY, LINE) }
})

/** SMS.ir does not distinguish the case of names, nor a slash at the end. */
const shapeOf = (sent: Received | undefined) => ({
  method: sent?.method,
  path: sent?.path.replace(/\/$/, ""),
  key: sent?.headers["x-api-key"],
  body: Object.fromEntries(
    Object.entries(Object(sent?.json)).map(([name, value]) => [name.toLowerCase(), value])
  )
})

describe.runIf(hasTools)("SMS.ir's older SDK takes the fake for SMS.ir", () => {
  it.effect("when it sends a code, and we send the same", () =>
    Effect.gen(function* () {
      const { fake, account, sdk } = yield* setUp
      const parameters = [{ name: "CODE", value: CODE }]
      const { data } = yield* Effect.promise(() => sdk.SendVerifyCode("09123456789", TEMPLATE, parameters))
      expect(data).toMatchObject({ status: 1, data: { messageId: expect.any(Number) } })
      yield* account.sendCode(delivery("sms"))
      expect(shapeOf(fake.received[1])).toEqual(shapeOf(fake.received[0]))
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("when it sends a text, and we send the same", () =>
    Effect.gen(function* () {
      const { fake, account, sdk } = yield* setUp
      const { data } = yield* Effect.promise(() => sdk.SendBulk(TEXT, ["09123456789"]))
      expect(data).toMatchObject({ status: 1, data: { packId: expect.any(String) } })
      yield* account.sendText(delivery("sms"))
      expect(shapeOf(fake.received[1])).toEqual(shapeOf(fake.received[0]))
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
