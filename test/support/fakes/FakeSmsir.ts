import { type Answer, fakeFarEnd, type FakeOptions, type Received } from "./FakeFarEnd.ts"

export const SMSIR_KEY = "smsir-key-0123456789"
export const SMSIR_LINE = 30_007_732_000_000
export const SMSIR_TEMPLATE = 123_456
/** The template's one variable. */
const VARIABLE = "CODE"

/** SMS.ir's envelope. */
export const smsirAnswer = (status: number, message: string, data: unknown = null, http = 200): Answer => ({
  status: http,
  json: { status, message, data }
})

const MOBILE = /^(09\d{9}|9\d{9})$/

/** Property names of either spelling, as both official SDKs send them. */
const property = (body: unknown, name: string): unknown => {
  const found = Object.entries(Object(body)).find(([key]) => key.toLowerCase() === name.toLowerCase())
  return found?.[1]
}

const refuse = (status: number, message: string) => smsirAnswer(status, message, null, 400)

/** SMS.ir as its documentation has it: keys, routes, shapes, limits; every message is delivered at once. */
export const fakeSmsir = (options: FakeOptions = {}) => {
  let lastId = 876_240_000
  const sent = new Map<string, string>()
  const accept = (mobile: unknown): number | null => {
    if (!MOBILE.test(String(mobile))) return null
    lastId += 1
    sent.set(String(lastId), String(mobile))
    return lastId
  }

  const verify = ({ json }: Received): Answer => {
    const mobile = property(json, "mobile")
    const parameters = property(json, "parameters")
    if (property(json, "templateId") !== SMSIR_TEMPLATE) return refuse(113, "قالب یافت نشد")
    if (!Array.isArray(parameters)) return refuse(116, "نام پارامتر خالی است")
    const names = parameters.map((each) => property(each, "name"))
    if (names.some((name) => typeof name !== "string" || name === ""))
      return refuse(116, "نام پارامتر خالی است")
    // No code is documented for a variable that the template lacks, or that is missing.
    if (names.join() !== VARIABLE) return refuse(116, "پارامترهای قالب نامعتبر است")
    if (parameters.some((each) => String(property(each, "value")).length > 25))
      return refuse(114, "طول پارامتر بیش از ۲۵ است")
    const messageId = accept(mobile)
    return messageId === null
      ? refuse(104, "شماره موبایل معتبر نیست")
      : smsirAnswer(1, "موفق", { messageId, cost: 1.0 })
  }

  const bulk = ({ json }: Received): Answer => {
    const mobiles = property(json, "mobiles")
    if (property(json, "lineNumber") !== SMSIR_LINE) return refuse(101, "شماره خط نامعتبر است")
    if (property(json, "messageText") === "") return refuse(103, "متن خالی است")
    if (!Array.isArray(mobiles) || mobiles.length === 0) return refuse(107, "لیست موبایل خالی است")
    if (mobiles.length > 100) return refuse(105, "تعداد موبایل بیش از ۱۰۰ است")
    return smsirAnswer(1, "موفق", {
      packId: "2b99e183-bf1d-4c0d-8a67-9a9b4c8c1c4e",
      messageIds: mobiles.map(accept),
      cost: mobiles.length
    })
  }

  const report = (messageId: string): Answer => {
    const mobile = sent.get(messageId)
    return mobile === undefined
      ? refuse(111, "موردی یافت نشد")
      : smsirAnswer(1, "موفق", {
          messageId: Number(messageId),
          mobile: Number(mobile),
          messageText: "…",
          sendDateTime: 1_763_000_000,
          lineNumber: 30_007_732_000_000,
          cost: 1,
          deliveryState: 1,
          deliveryDateTime: 1_763_000_007
        })
  }

  return fakeFarEnd((received) => {
    const { method, path, headers } = received
    if (headers["x-api-key"] !== SMSIR_KEY) return smsirAnswer(10, "کلید وب سرویس نامعتبر است", null, 401)
    const route = `${method} ${path.replace(/\/$/, "")}`
    if (route === "POST /v1/send/verify") return verify(received)
    if (route === "POST /v1/send/bulk") return bulk(received)
    if (route === "GET /v1/credit") return smsirAnswer(1, "موفق", 18_450.5)
    if (route === "GET /v1/line") return smsirAnswer(1, "موفق", [SMSIR_LINE])
    const messageId = /^GET \/v1\/send\/(\d+)$/.exec(route)?.[1]
    return messageId === undefined ? { status: 404, text: "<html>Not Found</html>" } : report(messageId)
  }, options)
}
