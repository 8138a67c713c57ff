import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { fieldError, type ValidationError } from "../../../src/domain/Errors.ts"
import { problem } from "../../../src/domain/Problem.ts"
import { textOf } from "../../../src/domain/ProblemTexts.ts"
import { RoutingStep } from "../../../src/domain/customer/Customer.ts"
import { decodeInput } from "../../../src/http/errors/SchemaErrors.ts"
import { makeLocale } from "../../../src/http/console/frame/Locale.ts"
import { refusalOf } from "../../../src/http/console/frame/Refusals.ts"
import { bySetting } from "../../../src/http/console/account/SettingInputs.ts"
import { fieldErrorsOf } from "../../../src/http/console/forms/FormFields.ts"
import { errorTable, type ErrorCode } from "../../../src/http/errors/ErrorTable.ts"
import { changeCustomer, setLimits, topUp } from "../../../src/services/customer/CustomerRecords.ts"
import { NewApiKey } from "../../../src/services/key/Keys.ts"
import { AccountChangeBody } from "../../../src/services/account/Accounts.ts"
import { NewTemplate } from "../../../src/services/message/TemplateActions.ts"
import { NewWebhookBody } from "../../../src/services/webhook/Webhooks.ts"
import { GuardChangeBody } from "../../../src/services/guard/GuardActions.ts"
import { ProviderAdaptersHttp } from "../../../src/layers/provider/ProviderAdaptersHttp.ts"
import { ProviderAdapters } from "../../../src/services/provider/ProviderAdapter.ts"
import { settingFields } from "../../../src/services/provider/SettingFields.ts"
import { Simulator } from "../../../src/services/system/Simulator.ts"

const [english, persian] = [makeLocale("en", "Asia/Tehran"), makeLocale("fa", "Asia/Tehran")]
const long = "x".repeat(5000)

/** Forms with mistakes, as the console reads them. */
const stepMistake = decodeInput(RoutingStep, { channel: "bale", wait: 5 })
const hostMistake = decodeInput(changeCustomer.input, {
  name: "",
  brand: long,
  locale: "x",
  webotp_host: "https://x",
  webotp_origins: ["https://a.ir:8443"],
  app_hash: "abc"
})
const mistakes: Readonly<Record<string, Effect.Effect<unknown, ValidationError>>> = {
  "a key": decodeInput(NewApiKey, {
    name: "",
    mode: "x",
    expires_at: "abc",
    rate_limit_per_minute: "x",
    allowed_ips: ["a"]
  }),
  "a key without a name, and with a negative limit": decodeInput(NewApiKey, {
    mode: "live",
    rate_limit_per_minute: -1
  }),
  "a step that waits too short": stepMistake,
  "a step that waits for no number": decodeInput(RoutingStep, { channel: "bale", wait: "x" }),
  "an account": decodeInput(AccountChangeBody, { label: long, gap_ms: "x", per_minute: 1.5 }),
  "a webhook": decodeInput(NewWebhookBody, { url: "", events: [], description: long }),
  "a webhook with a long address": decodeInput(NewWebhookBody, { url: long, events: ["x"] }),
  "a template": decodeInput(NewTemplate, { name: long, body: "" }),
  "the guard": decodeInput(GuardChangeBody, { mode: "x", unverified_hour: "x", sms_price: -1 }),
  limits: decodeInput(setLimits.input, { phone_hour: "x", phone_day: -1 }),
  "a top-up": decodeInput(topUp.input, { amount: null }),
  settings: hostMistake
}

describe("the errors of a form", () => {
  it.effect.each(Object.entries(mistakes))("are Persian on Persian pages: %s", ([, read]) =>
    Effect.gen(function* () {
      const errors = fieldErrorsOf(yield* Effect.flip(read), persian)
      assert.isAbove(errors.size, 0)
      for (const [field, message] of errors) assert.notMatch(message, /Expected|RegExp|key|must/, field)
      for (const [field, message] of errors) assert.match(message, /[\u0600-\u06ff]/, field)
    })
  )

  it.effect("say what is wanted, with the limits in the visitor's digits", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(stepMistake)
      assert.strictEqual(fieldErrorsOf(error, english).get("wait"), "Enter a number from 45 to 120.")
      assert.strictEqual(fieldErrorsOf(error, persian).get("wait"), "عددی بین ۴۵ تا ۱۲۰ وارد کنید.")
      const host = yield* Effect.flip(hostMistake)
      assert.strictEqual(
        fieldErrorsOf(host, english).get("webotp_host"),
        "Enter a host name, such as shop.example.ir."
      )
      assert.strictEqual(
        fieldErrorsOf(host, english).get("webotp_origins[0]"),
        "Enter sites without port and path, such as https://shop.example.ir."
      )
      assert.strictEqual(
        fieldErrorsOf(host, persian).get("app_hash"),
        "۱۱ نویسهٔ هش را وارد کنید: حروف لاتین، رقم، + و /."
      )
    })
  )

  it.effect("tell lists that are too long from texts", () =>
    Effect.gen(function* () {
      const networks = Array.from({ length: 101 }, () => "10.0.0.0/8")
      const error = yield* Effect.flip(
        decodeInput(NewApiKey, { name: "a", mode: "live", allowed_ips: networks })
      )
      assert.strictEqual(fieldErrorsOf(error, persian).get("allowed_ips"), "حداکثر ۱۰۰ مورد مجاز است.")
      assert.strictEqual(error.details.errors[0]?.message, "Expected a length of at most 100")
    })
  )

  it("stay as they are if they are somebody else's words", () => {
    const error = fieldError("url", problem("other", { text: "is odd" }))
    assert.deepStrictEqual([...fieldErrorsOf(error, persian)], [["url", "is odd"]])
  })

  it("of one field are in one line", () => {
    const lines = [problem("line_not_mobile", { line: 3 }), problem("more", { count: 5 })]
    assert.deepStrictEqual(
      [...fieldErrorsOf(fieldError("contacts", ...lines), persian)],
      [["contacts", "سطر ۳ شمارهٔ موبایل ایرانی ندارد؛ و ۵ مورد دیگر"]]
    )
  })
})

describe("a refusal", () => {
  it.each(Object.keys(errorTable) as ReadonlyArray<ErrorCode>)(
    "is in the page's language, and does not refer to details: %s",
    (code) => {
      const { text } = refusalOf({ _tag: code }, persian)
      assert.match(text, /[\u0600-\u06ff]/)
      assert.match(refusalOf({ _tag: code }, english).text, /^(?!.*\bdetails\b)[\x20-\x7e]+$/)
    }
  )
})

const fieldsOf = (provider: string) =>
  Effect.map(ProviderAdapters, (adapters) => {
    const adapter = adapters.get(provider)
    return adapter === undefined ? [] : settingFields(adapter.settings)
  }).pipe(Effect.provide(Layer.provide(ProviderAdaptersHttp, Layer.mock(Simulator)({ isOn: true }))))

describe("the refused settings of a provider", () => {
  it.effect("are shown at their own fields, in the visitor's language", () =>
    Effect.gen(function* () {
      const refused = problem("settings_refused", {
        provider: "smsir",
        problems: [
          { setting: "api_key", problem: problem("setting_missing") },
          { setting: "line_number", problem: problem("setting_not_number") }
        ]
      })
      assert.strictEqual(
        textOf(refused),
        "settings of smsir: api_key is missing; line_number must be a positive whole number"
      )
      const error = bySetting(yield* fieldsOf("smsir"))(fieldError("settings", refused))
      assert.deepStrictEqual(
        [...fieldErrorsOf(error, persian)],
        [
          ["settings.api_key", "این فیلد الزامی است."],
          ["settings.line_number", "یک عدد صحیح مثبت وارد کنید."]
        ]
      )
    })
  )

  it.effect("keep the provider's own words whole", () =>
    Effect.gen(function* () {
      const refused = problem("provider_refuses", { reason: "api_key is wrong; ask us" })
      const error = bySetting(yield* fieldsOf("smsir"))(fieldError("settings", refused))
      assert.deepStrictEqual(
        [...fieldErrorsOf(error, english)],
        [
          [
            "settings",
            "The provider refuses the account: api_key is wrong; ask us. To save it anyway, untick the check."
          ]
        ]
      )
    })
  )

  it("have an example of a time in the digits of the language", () => {
    const error = fieldError("quiet_until", problem("not_time_of_day", { example: "22:00" }))
    const textIn = (locale: typeof english) => [...fieldErrorsOf(error, locale).values()]
    assert.deepStrictEqual(textIn(english), ["Enter a time of the day, such as 22:00."])
    assert.deepStrictEqual(textIn(persian), ["ساعت را وارد کنید، مثل ۲۲:۰۰."])
  })
})
