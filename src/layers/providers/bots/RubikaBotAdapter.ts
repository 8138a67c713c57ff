import { Effect, Redacted, Result, Schema } from "effect"
import type { AccountTraits } from "../../../domain/customer/Customer.ts"
import { inWords, ProviderOutcome } from "../../../domain/provider/ProviderOutcome.ts"
import {
  AccountProblem,
  type Addressed,
  type ProviderAdapter,
  type ProviderConnection
} from "../../../services/provider/ProviderAdapter.ts"
import type { TextDelivery } from "../../../services/provider/Providers.ts"
import { Credential, originOf, readSettings, ReceivesUpdates } from "../AccountSettings.ts"
import { ask, send } from "../ProviderAnswers.ts"
import type { ProviderHttp } from "../ProviderHttp.ts"
import { fieldOf, idOf, wordsIn } from "../LenientAnswers.ts"
import { Answer, classify, orProblem } from "./RubikaAnswers.ts"
import { keypadOf, readRubikaUpdate } from "./RubikaUpdates.ts"

const RubikaSettings = Schema.Struct({
  token: Credential,
  trust_contacts: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "Whether a number shared by the bot's button is the sender's own: Rubika shows no owner."
  }),
  ...ReceivesUpdates
})

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

/** The updates of a response; fails if it has something else in their place. */
const updatesIn = (data: unknown): Effect.Effect<ReadonlyArray<unknown>, AccountProblem> => {
  const updates = fieldOf(data, "updates") ?? []
  return Array.isArray(updates)
    ? Effect.succeed(updates)
    : Effect.fail(new AccountProblem({ message: "updates that are no list", isDefinite: false }))
}

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
        const request = (method: string, body: Readonly<Record<string, unknown>>) =>
          ask(http, post(method, body), Answer).pipe(
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
          check: Effect.map(request("getMe", {}), ({ data }) => {
            const username = wordsIn(fieldOf(fieldOf(data, "bot"), "username"))
            return username === null ? "bot without a username" : `bot @${username}`
          }),
          deliveryReport: null,
          inbox: !receives_updates
            ? null
            : {
                read,
                secretHeader: null,
                announceWebhook: ({ url }) =>
                  Effect.asVoid(request("updateBotEndpoints", { url, type: "ReceiveUpdate" })),
                // Long polling is undocumented: Rubika responds at once, and the caller waits between calls.
                poll: Effect.fnUntraced(function* (cursor) {
                  const offset = cursor === null ? {} : { offset_id: cursor }
                  const { data } = yield* request("getUpdates", { limit: MAX_UPDATES, ...offset })
                  return {
                    updates: (yield* updatesIn(data)).map(read).filter((update) => update !== null),
                    cursor: idOf(fieldOf(data, "next_offset_id")) ?? cursor
                  }
                }),
                reply: (chatId, reply) =>
                  sendMessage(chatId, reply.text, { keypad: keypadOf(reply), isBackground: true })
              }
        }
      }
    )
})
