import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { fakeSmsir, SMSIR_KEY, SMSIR_LINE, SMSIR_TEMPLATE } from "./FakeSmsir.ts"

const post = (url: string, path: string, body: object) =>
  Effect.promise(async () => {
    const headers = { "content-type": "application/json", "x-api-key": SMSIR_KEY }
    const answer = await fetch(`${url}/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    return Object(await answer.json()).status as number
  })

const code = { mobile: "09123456789", templateId: SMSIR_TEMPLATE, parameters: [{ name: "CODE", value: "1" }] }
const text = { lineNumber: SMSIR_LINE, messageText: "x", mobiles: ["09123456789"] }

it.effect.each([
  ["a code", "/send/verify", code, 1],
  ["another template", "/send/verify", { ...code, templateId: 999 }, 113],
  ["another variable", "/send/verify", { ...code, parameters: [{ name: "WRONG", value: "1" }] }, 116],
  ["a variable without a name", "/send/verify", { ...code, parameters: [{ name: "", value: "1" }] }, 116],
  ["a long value", "/send/verify", { ...code, parameters: [{ name: "CODE", value: "1".repeat(26) }] }, 114],
  ["a text", "/send/bulk", text, 1],
  ["another line", "/send/bulk", { ...text, lineNumber: 1234 }, 101]
] as const)("the fake of SMS.ir answers %s as SMS.ir does", ([, path, body, status]) =>
  Effect.gen(function* () {
    const { url } = yield* fakeSmsir()
    expect(yield* post(url, path, body)).toBe(status)
  })
)
