import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ProviderAdaptersHttp } from "../../../src/layers/provider/ProviderAdaptersHttp.ts"
import { ProviderAdapters } from "../../../src/services/provider/ProviderAdapter.ts"
import { settingFields, typedSettings } from "../../../src/services/provider/SettingFields.ts"
import { Simulator } from "../../../src/services/system/Simulator.ts"

const SimulatorOn = Layer.mock(Simulator)({ isOn: true })

const fieldsOf = (provider: string) =>
  Effect.map(ProviderAdapters, (adapters) => {
    const adapter = adapters.get(provider)
    if (adapter === undefined) throw new Error(`no provider ${provider}`)
    return settingFields(adapter.settings)
  }).pipe(Effect.provide(Layer.provide(ProviderAdaptersHttp, SimulatorOn)))

describe("the form of a provider's settings", () => {
  it.effect("asks for every setting, each in the way that suits it", () =>
    Effect.gen(function* () {
      const fields = yield* fieldsOf("kavenegar")
      assert.deepStrictEqual(
        fields.map(({ name, kind, isRequired }) => [name, kind, isRequired]),
        [
          ["api_key", "secret", true],
          ["sender", "text", false],
          ["otp_template", "text", false],
          ["otp_token", "choice", false]
        ]
      )
      assert.deepStrictEqual(fields[3]?.choices, ["token", "token2", "token3", "token10", "token20"])
      const [outcome, latency] = yield* fieldsOf("simulator")
      assert.strictEqual(outcome?.kind, "choice")
      assert.strictEqual(latency?.kind, "number")
    })
  )

  it.effect("says what a setting is for", () =>
    Effect.gen(function* () {
      const [, sender] = yield* fieldsOf("kavenegar")
      assert.match(sender?.hint ?? "", /line that texts are sent from/)
    })
  )

  it.effect("hides the credentials of every provider", () =>
    Effect.gen(function* () {
      const adapters = yield* ProviderAdapters
      for (const { name, settings } of adapters.values()) {
        if (name === "simulator") continue
        const secrets = settingFields(settings).filter(({ kind }) => kind === "secret")
        assert.isNotEmpty(secrets, name)
      }
    }).pipe(Effect.provide(Layer.provide(ProviderAdaptersHttp, SimulatorOn)))
  )

  it.effect("reads what was typed as its provider expects it, and leaves out what was not", () =>
    Effect.gen(function* () {
      const simulator = yield* fieldsOf("simulator")
      const typed = new URLSearchParams({ outcome: " rejected ", latency_ms: "20", other: "x" })
      assert.deepStrictEqual(
        typedSettings(simulator, (name) => typed.get(name)),
        { outcome: "rejected", latency_ms: 20 }
      )
      const bot = yield* fieldsOf("bale_bot")
      const answers = new URLSearchParams({ token: "1:a", receives_updates: "false", trust_contacts: "" })
      assert.deepStrictEqual(
        typedSettings(bot, (name) => answers.get(name)),
        { token: "1:a", receives_updates: false }
      )
    })
  )

  it.effect("takes numbers in Persian digits, and leaves secrets and other texts as they are", () =>
    Effect.gen(function* () {
      const read = (fields: ReturnType<typeof settingFields>, typed: Readonly<Record<string, string>>) =>
        typedSettings(fields, (name) => typed[name] ?? null)
      assert.deepStrictEqual(read(yield* fieldsOf("simulator"), { latency_ms: "۲۰" }), { latency_ms: 20 })
      const smsir = { api_key: "۱۲۳", line_number: "۳۰۰۰۱۲۳", otp_parameter: "کد۲" }
      assert.deepStrictEqual(read(yield* fieldsOf("smsir"), smsir), { ...smsir, line_number: "3000123" })
    })
  )
})
