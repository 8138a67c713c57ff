import { Effect } from "effect"
import { ProviderOutcome } from "../../../domain/provider/ProviderOutcome.ts"
import { AccountProblem } from "../../../services/provider/ProviderAdapter.ts"
import { classifySend, codeOf, Envelope, isDefiniteCode, isSuccess, wordsOf } from "./BotApiAnswers.ts"
import { ask, send } from "../ProviderAnswers.ts"
import type { ProviderHttp, ProviderRequest } from "../ProviderHttp.ts"

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

/** Any token stays one segment of the path. */
const pathOf = (token: string, method: string): string =>
  `/bot${encodeURIComponent(token).replaceAll("%3A", ":")}/${method}`

/** The calls of one bot. */
export const botCalls = ({ http, baseUrl, token, maxTextLength }: BotAccess) => {
  const requestOf = (method: string, parameters: Parameters) =>
    ({ method: "POST", url: `${baseUrl}${pathOf(token, method)}`, body: JSON.stringify(parameters) }) as const

  /** Why a call got an unexpected response. */
  const problemOf = (answer: Envelope, status: number) =>
    new AccountProblem({
      message: answer.ok ? `HTTP ${status}, and a result of another shape` : wordsOf(answer, token),
      isDefinite: !answer.ok && isDefiniteCode(codeOf(answer, { status }))
    })

  const askFor = (
    method: string,
    parameters: Parameters,
    timing: Pick<ProviderRequest, "timeoutMillis"> = {}
  ) => ask(http, { ...requestOf(method, parameters), ...timing }, Envelope)

  return {
    askFor,
    problemOf,
    resultOf: (method: string, parameters: Parameters = {}) =>
      Effect.flatMap(askFor(method, parameters), ({ answer, status }) =>
        isSuccess(answer, { status }) ? Effect.succeed(answer.result) : Effect.fail(problemOf(answer, status))
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
        ? Effect.succeed(
            ProviderOutcome.Rejected({
              blame: "request",
              providerError: `not sent: longer than ${maxTextLength} characters`
            })
          )
        : send(
            http,
            { ...requestOf("sendMessage", { chat_id: chatIdOf(chatId), text, ...extras }), isBackground },
            Envelope,
            classifySend(token)
          )
  }
}
export type BotCalls = ReturnType<typeof botCalls>
