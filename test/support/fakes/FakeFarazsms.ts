import { type Answer, fakeFarEnd, type FakeOptions, type Received } from "./FakeFarEnd.ts"

export const FARAZSMS_KEY = "farazsms-Key-0123456789"
export const FARAZSMS_LINE = "50002178584000"
export const FARAZSMS_PATTERN = "SJ3FgPrE0C"
const SHARED_LINE = "90008361"
const VARIABLE = "code"

/** FarazSMS' envelope. */
export const farazsmsAnswer = (http: number, messages: unknown, data: unknown = null): Answer => ({
  status: http,
  json: { status: http < 300 ? "success" : "error", data, messages }
})

const invalid = (field: string) => farazsmsAnswer(422, { [field]: [`The ${field} field is invalid.`] })

const MOBILE = /^09\d{9}$/
const lines = [SHARED_LINE, FARAZSMS_LINE]

/** FarazSMS as its documents have it: a key in a header, local numbers, no id of what it sent. */
export const fakeFarazsms = (options: FakeOptions = {}) => {
  const sendPattern = (body: Readonly<Record<string, unknown>>): Answer => {
    if (body["code"] !== FARAZSMS_PATTERN) return invalid("code")
    if (Object.keys(Object(body["attributes"])).join() !== VARIABLE) return invalid("attributes")
    return MOBILE.test(String(body["recipient"])) ? farazsmsAnswer(200, null, 0) : invalid("recipient")
  }

  const sendText = ({ text, recipients }: Readonly<Record<string, unknown>>): Answer => {
    if (typeof text !== "string" || text === "") return invalid("text")
    const areMobiles =
      Array.isArray(recipients) && recipients.length > 0 && recipients.every((each) => MOBILE.test(each))
    return areMobiles ? farazsmsAnswer(201, "queued", 0) : invalid("recipients")
  }

  const send = (json: unknown, sendIt: (body: Readonly<Record<string, unknown>>) => Answer): Answer => {
    const body: Readonly<Record<string, unknown>> = Object(json)
    if (!lines.includes(String(body["line_number"]))) return invalid("line_number")
    return ["english", "persian"].includes(String(body["number_format"]))
      ? sendIt(body)
      : invalid("number_format")
  }

  const routes: Readonly<Record<string, (received: Received) => Answer>> = {
    "POST /ws/v1/sms/pattern": ({ json }) => send(json, sendPattern),
    "POST /ws/v1/sms/simple": ({ json }) => send(json, sendText),
    "GET /ws/v1/account/balance": () =>
      farazsmsAnswer(200, null, { balanceAmount: 350_000, balanceCount: 400, details: [] }),
    "GET /ws/v1/lines/accessible": () =>
      farazsmsAnswer(
        200,
        null,
        lines.map((number) => ({ number }))
      ),
    [`GET /ws/v1/patterns/${FARAZSMS_PATTERN}`]: () =>
      farazsmsAnswer(200, null, {
        code: FARAZSMS_PATTERN,
        text: "کد شما: %code%",
        status: "active",
        vars: [{ var: VARIABLE, length: 10, type: "int" }]
      })
  }

  return fakeFarEnd((received) => {
    const { method, path, headers } = received
    if (!path.startsWith("/ws/v1/")) return { status: 404, text: "<html>Not Found</html>" }
    if (headers["api-key"] !== FARAZSMS_KEY) return farazsmsAnswer(401, "Unauthenticated.")
    return routes[`${method} ${path}`]?.(received) ?? farazsmsAnswer(404, "Not found.")
  }, options)
}
