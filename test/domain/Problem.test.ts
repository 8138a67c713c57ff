import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { type Problem, problem, type ProblemCode, type ProblemParams } from "../../src/domain/Problem.ts"
import { textOf } from "../../src/domain/ProblemTexts.ts"
import { fieldMessage } from "../../src/http/console/forms/FieldMessages.ts"
import { makeLocale } from "../../src/http/console/frame/Locale.ts"

const [english, persian] = [makeLocale("en", "Asia/Tehran"), makeLocale("fa", "Asia/Tehran")]

/** Parameters that stand in the words. */
const range = { minimum: 41, maximum: 97 }
const params: Partial<ProblemParams> = {
  unexpected_type: { expected: [{ value: "live" }, { value: "test" }] },
  other: { text: "in its own words" },
  too_long: { maximum: 97 },
  too_many: { maximum: 97 },
  too_many_characters: { maximum: 97 },
  wrong_length: range,
  out_of_range: range,
  too_small: { above: 41 },
  not_digits: range,
  not_printable: range,
  not_brand: { maximum: 97 },
  not_prefix: { example: "0912345" },
  not_host_name: { example: "shop.example.ir" },
  not_site_origin: { example: "https://shop.example.ir" },
  not_app_hash: { characters: 97 },
  not_network: { example: "10.0.0.0/8" },
  not_time_zone: { example: "Asia/Tehran" },
  not_a_year: { first: 1970, last: 9999 },
  period_too_long: { days: 92 },
  one_of_two: { given: ["message", "template"] },
  metadata_too_long: { bytes: 97 },
  metadata_too_large: { bytes: 97, levels: 41 },
  metadata_filter_key: range,
  metadata_filters: { maximum: 97 },
  address_refused: { problem: problem("private_network", { unless: "A_SETTING" }) },
  not_http_url: { maximum: 97 },
  not_https: { unless: "A_SETTING" },
  private_network: { unless: "A_SETTING" },
  settings_refused: {
    provider: "smsir",
    problems: [{ setting: "api_key", problem: problem("setting_missing") }]
  },
  setting_not_printable: range,
  setting_has_spaces: range,
  setting_has_hash: range,
  setting_not_digits: range,
  setting_not_secret: { ...range, prefix: "whsec_" },
  provider_unknown: { provider: "smsr", known: ["smsir", "bale"] },
  provider_gone: { provider: "smsir" },
  provider_refuses: { reason: "bad token" },
  channel_not_served: { provider: "smsir", channel: "bale", served: ["sms"] },
  account_unknown: { account: 97 },
  account_on_channel: { account: 97, channel: "bale" },
  account_sends_no_codes: { account: 97 },
  account_stands_by_itself: { account: 97 },
  account_without_contacts: { account: 97, provider: "smsir" },
  account_without_inbox: { account: 97 },
  account_not_simulated: { account: 97 },
  too_many_lines: { maximum: 97 },
  file_without_columns: { columns: ["phone", "chat_id"] },
  line_not_mobile: { line: 97 },
  line_chat_unusable: { line: 97 },
  line_chat_rewritten: { line: 97 },
  line_quote: { line: 97 },
  more: { count: 97 },
  step_account_unknown: { customer: 41, channel: "bale", account: 97 },
  template_placeholder: { name: "minutes" },
  too_many_webhooks: { maximum: 97 },
  too_many_listeners: { maximum: 97 },
  clock_off: { minutes: 61 },
  too_many_passkeys: { maximum: 97 },
  not_a_month: { example: "1405-09" },
  too_many_views: { maximum: 97 },
  not_time_of_day: { example: "21:30" },
  too_many_recipients: { maximum: 97 },
  too_many_alert_codes: { maximum: 97 },
  too_many_alert_tests: { maximum: 97 },
  alert_code_not_sent: { reason: "no account" },
  lists_full: { maximum: 97 }
}

const TABLES = ["src/domain/Problem.ts", "src/domain/ProblemTexts.ts", "FieldMessages.ts"]
const source = (path: string) => readFileSync(path, "utf8")
const codes = [...source("src/domain/Problem.ts").matchAll(/^ {2}readonly (\w+): (?:None|Range|\{)/gm)]
  .map(([, code]) => code as ProblemCode)
  .filter((code) => !["setting", "problem", "minimum", "maximum"].includes(code))

const problemOf = (code: ProblemCode): Problem => ({ code, params: params[code] ?? {} }) as Problem

const uses = globSync("src/**/*.ts")
  .filter((path) => !TABLES.some((table) => path.endsWith(table)))
  .map(source)
  .join("\n")

describe("each problem", () => {
  it("is found here", () => {
    assert.isAbove(codes.length, 90)
    for (const code of Object.keys(params)) assert.include(codes, code)
  })

  it.each(codes)("has words for programs, and for people in both languages: %s", (code) => {
    const found = problemOf(code)
    const said = [textOf(found), fieldMessage(found, english), fieldMessage(found, persian)]
    for (const text of said) assert.notMatch(text, /^\s*$|undefined|NaN|\[object|۰۰/)
    // Somebody else's words stay as they are.
    if (code === "other") return
    assert.match(said[0] ?? "", /^[\x20-\x7e]+$/)
    assert.match(said[1] ?? "", /^[\x20-\x7e]+$/)
    assert.match(said[2] ?? "", /[\u0600-\u06ff]/)
  })

  it.each(Object.keys(params) as ReadonlyArray<ProblemCode>)(
    "says its parameters to programs: %s",
    (code) => {
      const numbers = Object.values(params[code] ?? {}).filter((value) => typeof value === "number")
      for (const number of numbers) assert.include(textOf(problemOf(code)), String(number))
    }
  )

  it.each(codes)("can happen: %s", (code) => {
    assert.match(uses, new RegExp(`\\bproblem\\(\\s*"${code}"`))
  })
})

describe("the words of the console", () => {
  it("are found by a problem's code, and never by its text", () => {
    const table = source("src/http/console/forms/FieldMessages.ts")
    assert.notMatch(table, /RegExp|\.exec\(|\.match\(|\.test\(|\[\s*\/\^/)
  })
})
