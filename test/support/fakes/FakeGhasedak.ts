import { type Answer, fakeFarEnd, type FakeOptions, type Received } from "./FakeFarEnd.ts"

export const GHASEDAK_KEY = "ghasedak-key-0123456789"
export const GHASEDAK_LINE = "30005088"
export const GHASEDAK_TEMPLATE = "PeykCode"
const PARAMETER = "Code"

/** Ghasedak's envelope. */
export const ghasedakAnswer = (
  http: number,
  message = "",
  data: unknown = null,
  statusCode = http
): Answer => ({
  status: http,
  json: { isSuccess: http < 300, statusCode, message, data }
})

const refuse = (message: string) => ghasedakAnswer(400, message)

const MOBILE = /^09\d{9}$/
const isText = (value: unknown): boolean => typeof value === "string" && value !== ""

/** Ghasedak as its documents have it: a key in a header, a template with named parameters, HTTP 400 for all refusals. */
export const fakeGhasedak = (options: FakeOptions = {}) => {
  let lastId = 2_387_930
  const sent = new Set<string>()
  const accept = (): string => {
    lastId += 1
    sent.add(String(lastId))
    return String(lastId)
  }

  const sendCode = (body: Readonly<Record<string, unknown>>): Answer => {
    const { receptors, templateName, inputs } = body
    if (!Array.isArray(receptors) || receptors.length === 0) return refuse("گیرنده‌ای وارد نشده است")
    if (!receptors.every((each) => MOBILE.test(String(Object(each).mobile))))
      return refuse("شماره گیرنده نامعتبر است")
    if (templateName !== GHASEDAK_TEMPLATE) return refuse("قالب مورد نظر یافت نشد")
    const names = Array.isArray(inputs) ? inputs.map((each) => Object(each).param) : []
    if (names.join() !== PARAMETER) return refuse("پارامترهای قالب نامعتبر است")
    if (!(inputs as ReadonlyArray<object>).every((each) => isText(Object(each).value)))
      return refuse("مقدار پارامتر خالی است")
    const items = receptors.map(({ mobile, clientReferenceId = null }) => ({
      messageBody: `کد شما: ${Object(inputs).at(0).value}`,
      receptor: mobile,
      cost: 940,
      messageId: accept(),
      clientReferenceId,
      sendDate: "2024-07-09T14:01:02.193563"
    }))
    return ghasedakAnswer(200, "", { items, totalCost: 940 * items.length })
  }

  const sendText = (body: Readonly<Record<string, unknown>>): Answer => {
    const { lineNumber, receptor, message, clientReferenceId = null } = body
    if (lineNumber !== GHASEDAK_LINE) return refuse("شماره خط نامعتبر است")
    if (!MOBILE.test(String(receptor))) return refuse("شماره گیرنده نامعتبر است")
    if (!isText(message)) return refuse("متن پیام خالی است")
    const shown = { lineNumber, receptor, message, clientReferenceId, cost: 1805 }
    return ghasedakAnswer(200, "", { ...shown, messageId: accept(), sendDate: "2024-07-09T14:01:36.6632614" })
  }

  const status = ({ query }: Received): Answer => {
    if (!["1", "2"].includes(query.get("Type") ?? "")) return refuse("نوع شناسه نامعتبر است")
    const known = (query.get("Ids") ?? "").split(",").filter((id) => sent.has(id))
    const report = (messageId: string) => ({
      messageId,
      message: "…",
      receptor: "09…",
      status: 5,
      price: 940
    })
    return ghasedakAnswer(200, "", known.map(report))
  }

  const routes: Readonly<Record<string, (received: Received) => Answer>> = {
    "POST SendOtpSMS": ({ json }) => sendCode(Object(json)),
    "POST SendSingleSMS": ({ json }) => sendText(Object(json)),
    "GET CheckSmsStatus": status,
    // The documents show this spelling as well.
    "GET GetAccountInformation": () => ({
      json: { IsSuccess: true, StatusCode: 200, Message: "", Data: { Credit: 125_000, Plan: "پایه" } }
    }),
    "GET GetOtpTemplateParameters": ({ query }) =>
      query.get("TemplateName") === GHASEDAK_TEMPLATE
        ? ghasedakAnswer(200, "", { params: [PARAMETER], message: "کد شما: %Code%" })
        : refuse("قالب مورد نظر یافت نشد")
  }

  return fakeFarEnd((received) => {
    const { method, path, headers } = received
    const name = /^\/rest\/api\/v1\/WebService\/(\w+)$/i.exec(path)?.[1] ?? ""
    const answer = routes[`${method} ${name}`]
    if (answer === undefined) return { status: 404, text: "<html>Not Found</html>" }
    return headers["apikey"] === GHASEDAK_KEY
      ? answer(received)
      : ghasedakAnswer(400, "کلید نامعتبر است", null, 401)
  }, options)
}
