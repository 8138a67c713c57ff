import { type Answer, fakeFarEnd, type FakeOptions, type Received } from "./FakeFarEnd.ts"

export const KAVENEGAR_KEY = "6B617665-fake-key-0123456789"
export const KAVENEGAR_LINE = "10004346"
export const KAVENEGAR_TEMPLATE = "peyk-code"

/** Kavenegar's envelope; its status is the HTTP status too. */
export const kavenegarAnswer = (
  status: number,
  message: string,
  entries: unknown = null,
  http = status
): Answer => ({ status: http, json: { return: { status, message }, entries } })

const refuse = (status: number, message: string) => kavenegarAnswer(status, message)

const RECEPTOR = /^(?:\+98|0098|0)?9\d{9}$/
const LINE = /^(?:\+98|0098)?10004346$/
const TOKENS = { token: 0, token2: 0, token3: 0, token10: 5, token20: 8 } as const

/** A token's spaces are limited; line breaks, underlines and separators are refused everywhere. */
const isToken = (value: string, spaces: number): boolean =>
  value.length > 0 &&
  value.length <= 100 &&
  !/[\n_-]/.test(value) &&
  (value.match(/ /g) ?? []).length <= spaces

/** Kavenegar as its documents have it: a key in the path, forms or queries, an id of ours that is sent once. */
export const fakeKavenegar = (options: FakeOptions = {}) => {
  let lastId = 8_792_343_000
  const sent = new Map<string, { readonly messageid: number; readonly status: number }>()
  const byLocalId = new Map<string, object>()

  const entry = (fields: URLSearchParams, message: string, sender: string, status: number) => {
    lastId += 1
    sent.set(String(lastId), { messageid: lastId, status: 10 })
    return {
      messageid: lastId,
      message,
      status,
      statustext: "در صف ارسال",
      sender,
      receptor: fields.get("receptor"),
      date: 1_763_000_000,
      cost: 120
    }
  }

  const lookup = (fields: URLSearchParams): Answer => {
    const tokens = Object.entries(TOKENS).flatMap(([name, spaces]) => {
      const value = fields.get(name)
      return value === null ? [] : [{ value, spaces }]
    })
    if (!fields.get("receptor") || !fields.get("token") || !fields.get("template"))
      return refuse(406, "پارامترهای اجباری خالی ارسال شده اند")
    if (!RECEPTOR.test(fields.get("receptor") ?? "")) return refuse(411, "دریافت کننده نامعتبر است")
    if (fields.get("template") !== KAVENEGAR_TEMPLATE) return refuse(424, "الگوی مورد نظر پیدا نشد")
    if (!tokens.every(({ value, spaces }) => isToken(value, spaces)))
      return refuse(431, "ساختار کد صحیح نمی‌باشد")
    const type = fields.get("type") ?? "sms"
    if (type !== "sms" && type !== "call") return refuse(400, "پارامترها ناقص هستند")
    if (type === "call" && !tokens.every(({ value }) => /^\d+$/.test(value)))
      return refuse(428, "ارسال کد از طریق تماس تلفنی امکان پذیر نیست")
    const code = tokens.at(-1)?.value ?? ""
    return kavenegarAnswer(200, "تایید شد", [entry(fields, `کد شما: ${code}`, KAVENEGAR_LINE, 5)])
  }

  const sendText = (fields: URLSearchParams): Answer => {
    const receptors = (fields.get("receptor") ?? "").split(",")
    const message = fields.get("message") ?? ""
    const sender = fields.get("sender") ?? KAVENEGAR_LINE
    const localId = fields.get("localid")
    if (fields.get("receptor") === null) return refuse(406, "پارامترهای اجباری خالی ارسال شده اند")
    if (receptors.length > 200) return refuse(414, "تعداد رکوردها بیش از حد مجاز است")
    if (!receptors.every((each) => RECEPTOR.test(each))) return refuse(411, "دریافت کننده نامعتبر است")
    if (!LINE.test(sender)) return refuse(412, "ارسال کننده نامعتبر است")
    if (message === "" || message.length > 900) return refuse(413, "پیام خالی است یا بیش از حد مجاز است")
    if (localId === null) return kavenegarAnswer(200, "تایید شد", [entry(fields, message, sender, 1)])
    if (!/^[1-9]\d{0,18}$/.test(localId)) return refuse(400, "پارامترها ناقص هستند")
    const known = byLocalId.get(localId) ?? entry(fields, message, sender, 1)
    byLocalId.set(localId, known)
    return kavenegarAnswer(200, "تایید شد", [known])
  }

  /** A text that is read out; it has no line. */
  const makeTts = (fields: URLSearchParams): Answer => {
    const message = fields.get("message") ?? ""
    if (!fields.get("receptor") || message === "") return refuse(406, "پارامترهای اجباری خالی ارسال شده اند")
    if (!RECEPTOR.test(fields.get("receptor") ?? "")) return refuse(411, "دریافت کننده نامعتبر است")
    if (message.length > 900) return refuse(413, "پیام خالی است یا بیش از حد مجاز است")
    const known = ["receptor", "message", "date", "localid", "repeat"]
    if ([...fields.keys()].some((name) => !known.includes(name))) return refuse(400, "پارامترها ناقص هستند")
    return kavenegarAnswer(200, "تایید شد", [entry(fields, message, KAVENEGAR_LINE, 1)])
  }

  const status = (fields: URLSearchParams): Answer =>
    kavenegarAnswer(
      200,
      "تایید شد",
      (fields.get("messageid") ?? "").split(",").map((id) => ({
        messageid: Number(id),
        status: sent.get(id)?.status ?? 100,
        statustext: sent.has(id) ? "رسیده به گیرنده" : "شناسه پیامک نامعتبر است"
      }))
    )

  const methods: Readonly<Record<string, (fields: URLSearchParams) => Answer>> = {
    "verify/lookup": lookup,
    "sms/send": sendText,
    "call/maketts": makeTts,
    "sms/status": status,
    "account/info": () =>
      kavenegarAnswer(200, "تایید شد", {
        remaincredit: 1_500_000,
        expiredate: 1_893_456_000,
        type: "master"
      })
  }

  return fakeFarEnd(({ method, path, query, headers, body }: Received) => {
    const [, key, name = ""] = /^\/v1\/([^/]+)\/(\w+\/\w+)\.json$/.exec(path) ?? []
    const answer = methods[name]
    if (answer === undefined) return refuse(404, "متدی با این نام پیدا نشده است")
    if (method !== "POST" && method !== "GET") return refuse(405, "متد فراخوانی اشتباه است")
    if (key !== KAVENEGAR_KEY) return refuse(403, "کد شناسائی معتبر نمی‌باشد")
    const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true
    return answer(isForm ? new URLSearchParams(body) : query)
  }, options)
}
