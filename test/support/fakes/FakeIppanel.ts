import { type Answer, fakeFarEnd, type FakeOptions, type Received } from "./FakeFarEnd.ts"

export const IPPANEL_KEY = "ippanel-key-0123456789"
export const IPPANEL_LINE = "+983000505"
export const IPPANEL_PATTERN = "pattern1code"
const VARIABLE = "code"

/** IPPanel's envelope. */
export const ippanelAnswer = (http: number, code: string, data: unknown = null, errors?: object): Answer => ({
  status: http,
  json: { data, meta: { status: http < 300, message: `message ${code}`, message_code: code, errors } }
})

const invalid = (field: string) => ippanelAnswer(422, "400-2", null, { [field]: [`the ${field} is invalid`] })

const isPhone = (value: unknown): boolean => /^\+989\d{9}$/.test(String(value))

/** IPPanel's Edge as its documents have it: a raw key, numbers in E.164, recipients at another place for each kind. */
export const fakeIppanel = (options: FakeOptions = {}) => {
  let lastId = 1_123_544_200
  const sent = new Set<string>()
  const accept = (): Answer => {
    lastId += 1
    sent.add(String(lastId))
    return ippanelAnswer(200, "200-1", { message_outbox_ids: [lastId] })
  }

  const sendPattern = ({ code, recipients, params }: Record<string, unknown>): Answer => {
    if (code !== IPPANEL_PATTERN) return invalid("code")
    if (!Array.isArray(recipients) || recipients.length !== 1 || !recipients.every(isPhone))
      return invalid("recipients")
    return Object.keys(Object(params)).join() === VARIABLE ? accept() : invalid("params")
  }

  const sendText = ({ message, params }: Record<string, unknown>): Answer => {
    const { recipients } = Object(params)
    if (!Array.isArray(recipients) || recipients.length === 0 || !recipients.every(isPhone))
      return invalid("params.recipients")
    return typeof message === "string" && message !== "" ? accept() : invalid("message")
  }

  /** A code that is read out: digits, to one recipient, from a line of theirs. */
  const call = ({ message, params, from_number, recipients: misplaced }: Record<string, unknown>): Answer => {
    const { recipients } = Object(params)
    if (from_number !== undefined && from_number !== IPPANEL_LINE) return invalid("from_number")
    if (misplaced !== undefined) return invalid("recipients")
    if (!Array.isArray(recipients) || recipients.length !== 1 || !recipients.every(isPhone))
      return invalid("params.recipients")
    return typeof message === "string" && /^\d{1,10}$/.test(message) ? accept() : invalid("message")
  }

  const send = (body: Record<string, unknown>): Answer => {
    if (body["sending_type"] === "votp") return call(body)
    if (body["from_number"] !== IPPANEL_LINE) return invalid("from_number")
    if (body["sending_type"] === "pattern") return sendPattern(body)
    return body["sending_type"] === "webservice" ? sendText(body) : invalid("sending_type")
  }

  const routes: Readonly<Record<string, (received: Received) => Answer>> = {
    "POST /v1/api/send": ({ json }) => send(Object(json)),
    "GET /v1/api/payment/credit/mine": () => ippanelAnswer(200, "200-1", { credit: 24_810.5 }),
    "GET /v1/api/number/numbers": () =>
      ippanelAnswer(200, "200-1", [{ id: 10_001, number: IPPANEL_LINE, operator_id: 1, alias: null }]),
    "GET /v1/api/report/recipients": ({ query }) =>
      ippanelAnswer(
        200,
        "200-1",
        sent.has(query.get("bulk_id") ?? "")
          ? [{ recipient: "+989123456789", message: "…", msg_parts: 1, message_status: "2" }]
          : []
      ),
    "GET /v1/api/report/by_bulk": () => ippanelAnswer(200, "200-1", { state_id: 2 })
  }

  const pattern = (code: string): Answer =>
    code === IPPANEL_PATTERN
      ? ippanelAnswer(200, "200-1", {
          pattern_code: code,
          pattern_status: "active",
          variable: [{ name: VARIABLE, type: "string", len: 20 }]
        })
      : ippanelAnswer(404, "400-1")

  const routeOf = ({ method, path }: Received) => {
    const [, code] = /^\/v1\/api\/patterns\/(\w+)$/.exec(path) ?? []
    return method === "GET" && code !== undefined ? () => pattern(code) : routes[`${method} ${path}`]
  }

  return fakeFarEnd((received) => {
    const answer = routeOf(received)
    if (answer === undefined) return { status: 404, text: "<html>Not Found</html>" }
    return received.headers["authorization"] === IPPANEL_KEY ? answer(received) : ippanelAnswer(401, "400-1")
  }, options)
}
