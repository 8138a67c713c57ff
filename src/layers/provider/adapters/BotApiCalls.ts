import { Effect, Schema } from "effect"
import { inWords, type ProviderOutcome } from "../../../domain/ProviderOutcome.ts"
import {
  fieldOf,
  finiteOf,
  idOf,
  maybeAnything,
  maybeWhole,
  maybeWords,
  YesOrNo
} from "../LenientResponses.ts"
import { isRecipientLost, outcomeOfStatus, providerWords } from "../ProviderResponses.ts"
import type { ProviderResponse, ProviderHttp } from "../ProviderHttp.ts"
import { accepted, contactLost, jsonCalls, problemWith, rejected, throttled, unknown } from "./AdapterKit.ts"

/** The response of every method. Optional fields are parsed when they matter, because they can have any form. */
const Envelope = Schema.Struct({
  ok: YesOrNo,
  result: maybeAnything,
  description: maybeWords,
  error_code: maybeWhole,
  parameters: maybeAnything
})
type Envelope = typeof Envelope.Type

export const isSuccess = ({ ok }: Envelope, { status }: Pick<ProviderResponse, "status">): boolean =>
  ok && status >= 200 && status < 300

/** A response's own code, if it is one of HTTP's errors: clones can use other numbers. */
const ownCode = ({ error_code }: Envelope): number | null =>
  typeof error_code === "number" && isHttpError(error_code) ? error_code : null

const isHttpError = (code: number): boolean => code >= 400 && code < 600

/** The code of a failure: its own, or else the HTTP status. */
export const codeOf = (response: Envelope, { status }: Pick<ProviderResponse, "status">): number =>
  ownCode(response) ?? status

/** Whether the platform's decision is final, so that a repeat would get the same. */
const isDefiniteCode = (code: number): boolean => code >= 400 && code < 500 && ![408, 425, 429].includes(code)

/** A failure's text, without the token in case the description repeats it. */
const wordsOf = ({ error_code, description }: Envelope, token: string): string =>
  providerWords(error_code, description?.replaceAll(token, "•••"))

/**
 * The description decides first, because not every clone has codes; but not against a code that shows another cause: something
 * else.
 */
const isContactLost = (response: Envelope): boolean => {
  const own = ownCode(response)
  const mayBeRecipient = own === null || (isDefiniteCode(own) && own !== 401)
  return mayBeRecipient && isRecipientLost(response.description ?? "")
}

const failureOf = (response: Envelope, received: ProviderResponse, token: string): ProviderOutcome => {
  const providerError = wordsOf(response, token)
  const code = codeOf(response, received)
  if (isContactLost(response)) return contactLost(providerError)
  // Such a refusal does not mean that the chat is over, whatever its cause.
  if (code === 403) return rejected("recipient", providerError)
  if (code === 429) {
    const seconds = finiteOf(fieldOf(response.parameters, "retry_after"))
    const retryAfterMillis = seconds === null ? received.retryAfterMillis : seconds * 1000
    return throttled(retryAfterMillis, providerError)
  }
  // Another program uses the bot in a way that excludes Peyk.
  if (code === 409) return rejected("configuration", providerError)
  // A plain refusal with HTTP 200 is still a refusal.
  if (!isHttpError(code)) return rejected("request", providerError)
  return inWords(outcomeOfStatus({ ...received, status: code }), () => providerError)
}

/** A success counts even if its id cannot be read. */
const classifySend =
  (token: string) =>
  (response: Envelope, received: ProviderResponse): ProviderOutcome => {
    if (isSuccess(response, received)) return accepted(idOf(fieldOf(response.result, "message_id")))
    return response.ok ? unknown(`ok, but HTTP ${received.status}`) : failureOf(response, received, token)
  }

export interface BotAccess {
  readonly http: ProviderHttp["Service"]
  readonly baseUrl: string
  readonly token: string
  /** In code points. */
  readonly maxTextLength: number
}

type Parameters = Readonly<Record<string, unknown>>

/** A number if it can hold the id exactly. */
const chatIdOf = (chatId: string): number | string => {
  const number = Number(chatId)
  return Number.isSafeInteger(number) && String(number) === chatId ? number : chatId
}

/** The calls of one bot. */
export const botCalls = ({ http, baseUrl, token, maxTextLength }: BotAccess) => {
  // Any token stays one segment of the path.
  const root = `${baseUrl}/bot${encodeURIComponent(token).replaceAll("%3A", ":")}`
  const calls = jsonCalls(http, root, {}, Envelope)

  /** Why a call got an unexpected response. */
  const problemOf = (response: Envelope, status: number) =>
    problemWith(
      response.ok ? `HTTP ${status}, and a result of another shape` : wordsOf(response, token),
      !response.ok && isDefiniteCode(codeOf(response, { status }))
    )

  const askFor = (method: string, parameters: Parameters, timing: { readonly timeoutMillis?: number } = {}) =>
    calls.query(`/${method}`, parameters, timing)

  return {
    askFor,
    problemOf,
    resultOf: (method: string, parameters: Parameters = {}) =>
      Effect.flatMap(askFor(method, parameters), ({ response, status }) =>
        isSuccess(response, { status })
          ? Effect.succeed(response.result)
          : Effect.fail(problemOf(response, status))
      ),
    sendMessage: (
      chatId: string,
      text: string,
      {
        extras = {},
        isBackground = false
      }: { readonly extras?: Parameters; readonly isBackground?: boolean } = {}
    ): Effect.Effect<ProviderOutcome> =>
      Array.from(text).length > maxTextLength
        ? Effect.succeed(rejected("request", `not sent: longer than ${maxTextLength} characters`))
        : calls.send("/sendMessage", { chat_id: chatIdOf(chatId), text, ...extras }, classifySend(token), {
            isBackground
          })
  }
}
export type BotCalls = ReturnType<typeof botCalls>
