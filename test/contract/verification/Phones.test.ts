import { beforeAll, describe, expect, it } from "vitest"
import { issues, newPhone, ok, otp, refused, type Sent, sandbox } from "../Client.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let live: ReturnType<typeof otp>
let trial: ReturnType<typeof otp>
beforeAll(async () => {
  server = sharedServer()
  live = otp(server, server.demo.live_key)
  trial = sandbox(server, server.demo.test_key)
})

const persian = (digits: string) => digits.replaceAll(/\d/g, (digit) => "۰۱۲۳۴۵۶۷۸۹".charAt(Number(digit)))
const arabic = (digits: string) => digits.replaceAll(/\d/g, (digit) => "٠١٢٣٤٥٦٧٨٩".charAt(Number(digit)))

/** `ten` is the number without a prefix, as 9121234567. */
const forms: ReadonlyArray<[string, (ten: string) => string]> = [
  ["local", (ten) => `0${ten}`],
  ["E.164", (ten) => `+98${ten}`],
  ["international with 00", (ten) => `0098${ten}`],
  ["bare ten digits", (ten) => ten]
]

const written: ReadonlyArray<[string, (ten: string) => string]> = [
  ["Persian digits, local", (ten) => persian(`0${ten}`)],
  ["Persian digits, E.164", (ten) => persian(`+98${ten}`)],
  ["Arabic digits, with 00", (ten) => arabic(`0098${ten}`)],
  ["Arabic digits, bare", arabic],
  [
    "all three kinds of digits",
    (ten) => `0${ten.slice(0, 3)}${persian(ten.slice(3, 6))}${arabic(ten.slice(6))}`
  ],
  ["spaces", (ten) => `0${ten.slice(0, 3)} ${ten.slice(3, 6)} ${ten.slice(6)}`],
  ["hyphens", (ten) => `+98-${ten.slice(0, 3)}-${ten.slice(3, 6)}-${ten.slice(6)}`],
  ["parentheses between digits", (ten) => `0${ten.slice(0, 3)}(${ten.slice(3, 6)})${ten.slice(6)}`],
  ["isolates of direction, as the console's pages put them", (ten) => `\u2066+98${ten}\u2069`],
  ["embeddings of direction around Persian digits", (ten) => `\u202a${persian(`0${ten}`)}\u202c`],
  [
    "marks of direction, joiners and a byte order mark",
    (ten) => `\ufeff\u200e0${[...ten].join("\u200c")}\u200f\u061c`
  ],
  ["typographic dashes", (ten) => `0${ten.slice(0, 3)}\u2010${ten.slice(3, 6)}\u2014${ten.slice(6)}`],
  ["minus signs and no-break spaces", (ten) => `+98\u00a0${ten.slice(0, 3)}\u2212${ten.slice(3)}\u202f`],
  ["Persian digits with spaces", (ten) => persian(`0098 ${ten.slice(0, 3)} ${ten.slice(3)}`)]
]

const ten = (phone: string) => phone.slice("+98".length)

describe("a phone number", () => {
  it.each(forms)("in the form %s is taken by a live send and stored as E.164", async (_, write) => {
    const phone = newPhone()
    const sent = await live.sent({ phone: write(ten(phone)), channels: "sms" })
    expect((await live.status(sent.verification_id)).phone).toBe(phone)
  })

  it.each([...forms, ...written])(
    "written as %s is taken by the sandbox and stored as E.164",
    async (_, write) => {
      const phone = newPhone()
      const sent = ok<Sent>(await trial.send({ phone: write(ten(phone)) }))
      expect((await trial.status(sent.verification_id)).phone).toBe(phone)
    }
  )

  it("written with Persian digits and separators is taken by a live send as well", async () => {
    const phone = newPhone()
    const sent = await live.sent({
      phone: persian(`0${ten(phone).slice(0, 3)} ${ten(phone).slice(3)}`),
      channels: "sms"
    })
    expect((await live.status(sent.verification_id)).phone).toBe(phone)
  })
})

/** The last digits differ, as each is sent to once an hour by this test alone. */
const ranges = ["0998", "0941", "0997", "0995", "0999", "0940", "0980"]

describe("a number of a range that no library knows", () => {
  it.each(ranges)("is taken, as operators open ranges at any time: %s", async (range) => {
    const phone = `+98${range.slice(1)}${newPhone().slice(-7)}`
    const sent = await live.sent({ phone: `0${ten(phone)}`, channels: "sms" })
    expect((await live.status(sent.verification_id)).phone).toBe(phone)
  })
})

describe("invalid_phone", () => {
  it.each([
    ["nothing", ""],
    ["spaces", "   "],
    ["letters", "abc"],
    ["a digit too few", "0912123456"],
    ["a digit too many", "091212345678"],
    ["a landline", "02188776655"],
    ["a landline in E.164", "+982188776655"],
    ["a number of another country", "+14155552671"],
    ["98 without + or 00", "989121234567"],
    ["+98 followed by the local form", "+9809121234567"],
    ["a letter at the end", "09121234567a"],
    ["an extension", "09121234567 ext 5"],
    ["dots", "0912.123.4567"],
    ["format characters alone", "\u2066\u2069"],
    ["the number of erased phones", "+989800000000"],
    ["the number of erased phones in another form", "\u2066۰۹۸۰ ۰۰۰ ۰۰۰۰\u2069"],
    ["two plus signs", "++989121234567"],
    ["a NUL", "0912123456\u0000"],
    ["two numbers", "09121234567,09121234568"],
    ["digits of another script", "०९१२१२३४५६७"],
    ["a thousand digits", "9".repeat(1_000)]
  ])("is the answer of both sends to %s", async (_, phone) => {
    refused(await live.send({ phone, channels: "sms" }), 422, "invalid_phone")
    refused(await trial.send({ phone }), 422, "invalid_phone")
  })

  it.each([
    ["a number", 9_121_234_567],
    ["a list", ["09121234567"]],
    ["an object", {}],
    ["true", true]
  ])("is not the answer to %s, which is a validation_error", async (_, phone) => {
    expect(issues(await live.send({ phone, channels: "sms" }))).toEqual(["body.phone"])
    expect(issues(await trial.send({ phone }))).toEqual(["body.phone"])
  })
})
