import { type Answer, fakeFarEnd, type FakeOptions, type Received } from "./FakeFarEnd.ts"

export const MELIPAYAMAK_USER = "peyk"
export const MELIPAYAMAK_PASSWORD = "melipayamak-password-0123456789"
export const MELIPAYAMAK_LINE = "50004001"
export const MELIPAYAMAK_BODY_ID = 12_345

/** Every answer has HTTP 200. */
export const melipayamakAnswer = (Value: unknown, RetStatus = 1, StrRetStatus = "Ok"): Answer => ({
  json: { Value, RetStatus, StrRetStatus }
})

const MOBILE = /^09\d{9}$/

/** Melipayamak's REST as its documents have it: credentials in every body, ids longer than a number holds. */
export const fakeMelipayamak = (options: FakeOptions = {}) => {
  let lastId = 5_243_690_627_088_685_351n
  const sent = new Set<string>()
  const accept = (): Answer => {
    lastId += 1n
    sent.add(String(lastId))
    return melipayamakAnswer(String(lastId))
  }

  const sendCode = (fields: URLSearchParams): Answer => {
    const to = fields.get("to") ?? ""
    if (to.includes(",")) return melipayamakAnswer("-2")
    if (fields.get("bodyId") !== String(MELIPAYAMAK_BODY_ID)) return melipayamakAnswer("-4")
    if ((fields.get("text") ?? "").split(";").length !== 1) return melipayamakAnswer("-5")
    return MOBILE.test(to) ? accept() : melipayamakAnswer("18")
  }

  const sendText = (fields: URLSearchParams): Answer => {
    if (fields.get("from") !== MELIPAYAMAK_LINE) return melipayamakAnswer("5")
    if (!fields.get("text")) return melipayamakAnswer("17")
    return (fields.get("to") ?? "").split(",").every((to) => MOBILE.test(to))
      ? accept()
      : melipayamakAnswer("18")
  }

  const methods: Readonly<Record<string, (fields: URLSearchParams) => Answer>> = {
    BaseServiceNumber: sendCode,
    SendSMS: sendText,
    GetCredit: () => melipayamakAnswer("1204.5"),
    GetUserNumbers: () => ({
      json: {
        MyBase: { Value: "1", RetStatus: 1, StrRetStatus: "Ok" },
        Data: [{ Number: MELIPAYAMAK_LINE }, { Number: "50004002" }]
      }
    }),
    GetDeliveries2: (fields) => melipayamakAnswer(sent.has(fields.get("recId") ?? "") ? "1" : "100")
  }

  return fakeFarEnd(({ method, path, body }: Received) => {
    const answer = methods[/^\/api\/SendSMS\/(\w+)$/.exec(path)?.[1] ?? ""]
    if (method !== "POST" || answer === undefined) return { status: 404, text: "<html>Not Found</html>" }
    const fields = new URLSearchParams(body)
    const isKnown =
      fields.get("username") === MELIPAYAMAK_USER && fields.get("password") === MELIPAYAMAK_PASSWORD
    return isKnown ? answer(fields) : melipayamakAnswer("0", 0, "InvalidUserPass")
  }, options)
}
