import { Effect, Option, Redacted, Result, Schema } from "effect"
import type { AccountTraits } from "../../../domain/people/Customer.ts"
import { type Blame, inWords, ProviderOutcome } from "../../../domain/account/ProviderOutcome.ts"
import {
  AccountProblem,
  type Addressed,
  type ProviderAdapter,
  type ProviderConnection
} from "../../../services/provider/ProviderAdapter.ts"
import type { TextDelivery } from "../../../services/provider/Providers.ts"
import { Credential, originOf, readSettings, ReceivesUpdates } from "../AccountSettings.ts"
import { ask, outcomeOfStatus, perhaps, providerWords, send } from "../ProviderAnswers.ts"
import type { ProviderAnswer, ProviderHttp } from "../ProviderHttp.ts"
import { keypadOf, readRubikaUpdate } from "./RubikaUpdates.ts"

const RubikaSettings = Schema.Struct({
  token: Credential,
  trust_contacts: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "Whether a number shared by the bot's button is the sender's own: Rubika shows no owner."
  }),
  ...ReceivesUpdates
})

const answerOf = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({ status: Schema.String, dev_message: perhaps(Schema.String), data: perhaps(data) })

const Id = Schema.Union([Schema.String, Schema.Finite])
/** For sends: the data is parsed once the status is known, because a failure can have any data. */
const Answer = answerOf(Schema.Unknown)
const readSent = Schema.decodeUnknownOption(Schema.Struct({ message_id: Id }))
const Me = answerOf(Schema.Struct({ bot: perhaps(Schema.Struct({ username: perhaps(Schema.String) })) }))
const Updates = answerOf(
  Schema.Struct({ updates: perhaps(Schema.Array(Schema.Unknown)), next_offset_id: perhaps(Id) })
)

type Failure = Pick<typeof Answer.Type, "status" | "dev_message">

const isSuccess = (answer: Failure, httpStatus: number): boolean => answer.status === "OK" && httpStatus < 300

/** The cause that each known status means. */
const blames: Readonly<Record<string, Blame>> = {
  INVALID_ACCESS: "configuration",
  INVALID_AUTH: "configuration",
  NOT_REGISTERED: "configuration",
  INVALID_INPUT: "request"
}

const LOST_CONTACT =
  /\b(chat|user)( id)?( (was|is|has|does))? (not found|not exist|blocked|stopped)\b|\bblocked by (the )?user\b/i

/** No list of statuses is published: an unknown one is a refusal, unless the HTTP status says otherwise. */
const failureOf = ({ status, dev_message }: Failure, received: ProviderAnswer): ProviderOutcome => {
  const providerError = providerWords(status, dev_message)
  const { retryAfterMillis } = received
  if (status === "TOO_REQUESTS") return ProviderOutcome.Throttled({ retryAfterMillis, providerError })
  const byStatus = outcomeOfStatus(received)
  if ([401, 403, 429].includes(received.status)) return inWords(byStatus, () => providerError)
  const blame = blames[status]
  if (blame !== undefined) return ProviderOutcome.Rejected({ blame, providerError })
  const isRefusal = received.status < 300 || (received.status >= 400 && byStatus._tag === "Rejected")
  if (!isRefusal || status === "OK") return inWords(byStatus, () => providerError)
  return LOST_CONTACT.test(providerError.replaceAll("_", " "))
    ? ProviderOutcome.Rejected({ blame: "recipient", providerError, isContactLost: true })
    : ProviderOutcome.Rejected({ blame: "request", providerError })
}

/** A success counts even if its id cannot be read. */
const classify = (answer: typeof Answer.Type, received: ProviderAnswer): ProviderOutcome =>
  isSuccess(answer, received.status)
    ? ProviderOutcome.Accepted({
        messageId: Option.match(readSent(answer.data), {
          onNone: () => null,
          onSome: ({ message_id }) => String(message_id)
        })
      })
    : failureOf(answer, received)

const orProblem = <A extends Failure>({ answer, status }: { readonly answer: A; readonly status: number }) =>
  isSuccess(answer, status)
    ? Effect.succeed(answer)
    : Effect.fail(
        new AccountProblem({
          message: providerWords(answer.status, answer.dev_message),
          isDefinite: failureOf(answer, { status, retryAfterMillis: null, json: answer })._tag === "Rejected"
        })
      )

const traits: AccountTraits = {
  sendsCodes: true,
  sendsTexts: true,
  deduplicatesCodes: false,
  deduplicatesTexts: false,
  reportsDelivery: false,
  needsContact: true
}

const MAX_TEXT_LENGTH = 4000
const MAX_UPDATES = 100

const tooLong = ProviderOutcome.Rejected({
  blame: "request",
  providerError: `not sent: the text is longer than ${MAX_TEXT_LENGTH} characters`
})
const noChat = ProviderOutcome.Rejected({
  blame: "recipient",
  providerError: "not sent: this phone has no chat with the bot"
})

interface SendOptions {
  readonly keypad?: Readonly<Record<string, unknown>>
  readonly isBackground?: boolean
}

/** A bot of Rubika. Sources: rubika.ir/botapi, and the code of its clients. */
export const rubikaBotAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter => ({
  name: "rubika_bot",
  channels: ["rubika"],
  settings: RubikaSettings,
  connect: (settings) =>
    Result.map(
      readSettings(RubikaSettings, settings),
      ({ token, trust_contacts = false, receives_updates = true }): ProviderConnection => {
        const post = (method: string, body: Readonly<Record<string, unknown>>) =>
          ({
            method: "POST",
            url: `${baseUrl}/${encodeURIComponent(token)}/${method}`,
            body: JSON.stringify(body)
          }) as const
        /** A platform can repeat the address that was called. */
        const withoutToken = (words: string): string => words.replaceAll(token, "•••")
        const request = <Data extends Schema.Decoder<unknown> & { readonly Type: Failure }>(
          method: string,
          body: Readonly<Record<string, unknown>>,
          answer: Data
        ) =>
          ask(http, post(method, body), answer).pipe(
            Effect.flatMap(orProblem),
            Effect.mapError(
              ({ message, isDefinite }) => new AccountProblem({ message: withoutToken(message), isDefinite })
            )
          )
        const sendMessage = (
          chatId: string,
          text: string,
          { keypad = {}, isBackground = false }: SendOptions = {}
        ) =>
          text.length > MAX_TEXT_LENGTH
            ? Effect.succeed(tooLong)
            : send(
                http,
                { ...post("sendMessage", { chat_id: chatId, text, ...keypad }), isBackground },
                Answer,
                classify
              ).pipe(Effect.map((outcome) => inWords(outcome, withoutToken)))
        const sendText = ({ chatId, text }: Addressed<TextDelivery>) =>
          chatId === null ? Effect.succeed(noChat) : sendMessage(chatId, Redacted.value(text))
        const read = readRubikaUpdate(trust_contacts)
        return {
          farEnd: originOf(baseUrl),
          traits,
          sendCode: sendText,
          sendText,
          check: Effect.map(request("getMe", {}, Me), ({ data }) =>
            data?.bot?.username ? `bot @${data.bot.username}` : "bot without a username"
          ),
          deliveryReport: null,
          inbox: !receives_updates
            ? null
            : {
                read,
                secretHeader: null,
                announceWebhook: ({ url }) =>
                  Effect.asVoid(request("updateBotEndpoints", { url, type: "ReceiveUpdate" }, Answer)),
                // Long polling is undocumented: Rubika responds at once, and the caller waits between calls.
                poll: (cursor) =>
                  Effect.map(
                    request(
                      "getUpdates",
                      { limit: MAX_UPDATES, ...(cursor !== null && { offset_id: cursor }) },
                      Updates
                    ),
                    ({ data }) => ({
                      updates: (data?.updates ?? []).map(read).filter((update) => update !== null),
                      cursor: String(data?.next_offset_id ?? "") || cursor
                    })
                  ),
                reply: (chatId, reply) =>
                  sendMessage(chatId, reply.text, { keypad: keypadOf(reply), isBackground: true })
              }
        }
      }
    )
})
