import { type Answer, fakeFarEnd, type FakeOptions, type Received } from "./FakeFarEnd.ts"

export const RUBIKA_TOKEN = "BDAFJ0RUBIKATOKEN0123456789"

/** A chat of one person with the bot. */
export const RUBIKA_CHAT = "b0QFtn0C1I022abcd29f1d60c9ce5b08"

/** The answer of Rubika: success with data, or a status with words for the developer. */
export const rubikaOk = (data: unknown): Answer => ({ json: { status: "OK", data } })
export const rubikaRefusal = (status: string, dev_message: string | null = null, http = 200): Answer => ({
  status: http,
  json: { status, dev_message }
})

export interface FakeRubikaOptions extends FakeOptions {
  /** The acts of people with the bot, from the beginning. */
  readonly updates?: ReadonlyArray<unknown>
}

const MAX_UPDATES = 100

/** Rubika's bot API as it is known: the token in the path, failures with HTTP 200, ids longer than a number holds. */
export const fakeRubika = ({ updates = [], ...options }: FakeRubikaOptions = {}) => {
  let lastId = 204_215_121_115_944_300n

  const sendMessage = (body: Record<string, unknown>): Answer => {
    const isAddressed = typeof body["chat_id"] === "string" && body["chat_id"] !== ""
    if (!isAddressed || typeof body["text"] !== "string" || body["text"] === "")
      return rubikaRefusal("INVALID_INPUT", "chat_id and text are required")
    lastId += 1n
    return rubikaOk({ message_id: String(lastId) })
  }

  const getUpdates = (body: Record<string, unknown>): Answer => {
    const first = Number(body["offset_id"] ?? 0)
    const next = Math.min(first + Math.min(Number(body["limit"] ?? MAX_UPDATES), MAX_UPDATES), updates.length)
    return rubikaOk({ updates: updates.slice(first, next), next_offset_id: String(next) })
  }

  const methods: Readonly<Record<string, (body: Record<string, unknown>) => Answer>> = {
    sendMessage,
    getUpdates,
    getMe: () => rubikaOk({ bot: { bot_id: "b0QFtn1", bot_title: "پیک", username: "peyk_bot" } }),
    updateBotEndpoints: ({ url }) =>
      /^https:\/\/[^?]+$/.test(String(url))
        ? rubikaOk({ status: "Done" })
        : rubikaRefusal("INVALID_INPUT", "url is not valid")
  }

  return fakeFarEnd(({ method, path, json }: Received) => {
    const [, token, name] = /^\/v3\/([^/]+)\/(\w+)$/.exec(path) ?? []
    const answer = methods[name ?? ""]
    if (method !== "POST" || answer === undefined) return { status: 404, text: "<html>Not Found</html>" }
    return token === RUBIKA_TOKEN
      ? answer(Object(json))
      : rubikaRefusal("INVALID_ACCESS", "token is not valid.")
  }, options)
}
