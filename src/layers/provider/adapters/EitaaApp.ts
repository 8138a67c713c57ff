import { Effect, Option, Redacted, Result, Schema } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import { BotUpdate } from "../../../domain/account/BotConversation.ts"
import { inWords, type ProviderOutcome } from "../../../domain/ProviderOutcome.ts"
import { Credential } from "../AccountSettings.ts"
import { fieldOf, idOf, maybeAnything, maybeWhole, maybeWords, YesOrNo } from "../LenientResponses.ts"
import { isRecipientLost, outcomeOfStatus, providerWords } from "../ProviderResponses.ts"
import type { ProviderResponse, ProviderHttp } from "../ProviderHttp.ts"
import { accepted, adapter, connectionTo, contactLost, jsonCalls, rejected } from "./AdapterKit.ts"
import { verifyInitData, verifySharedContact } from "./EitaaInitData.ts"
import type { Addressed, ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"
import type { TextDelivery } from "../../../services/provider/Providers.ts"

/** Only `{"ok":true,"result":"success"}` is documented: anything else is a failure. */
const ResponseBody = Schema.Struct({
  ok: YesOrNo,
  result: maybeAnything,
  error_code: maybeWhole,
  description: maybeWords
})

/** Errors about the person, not the app. */
const NOT_ALLOWED = /blocked|permission|access(?! token)/i

/** No list of errors is published. A refusal without a reason is usually a person who does not allow messages. */
const refusalOf = (
  { error_code, description }: typeof ResponseBody.Type,
  httpStatus: number
): ProviderOutcome => {
  const providerError = providerWords(error_code, description)
  if (isRecipientLost(description ?? "")) return contactLost(providerError)
  const isBare = (error_code ?? null) === null && (description ?? "") === ""
  const isRecipient =
    isBare || [403, 404].includes(error_code ?? httpStatus) || NOT_ALLOWED.test(description ?? "")
  return rejected(isRecipient ? "recipient" : "request", providerError)
}

const isAboutService = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500

const failureOf = (response: typeof ResponseBody.Type, received: ProviderResponse): ProviderOutcome => {
  const { error_code, description } = response
  const providerError = providerWords(error_code, description)
  const statuses = [received.status, error_code ?? received.status]
  if (statuses.includes(401)) return rejected("configuration", providerError)
  const status = statuses.find(isAboutService)
  if (status !== undefined) return inWords(outcomeOfStatus({ ...received, status }), () => providerError)
  // A redirect, or a success with a failing HTTP status.
  const isContradicted = response.ok || (received.status >= 300 && received.status < 400)
  return isContradicted ? outcomeOfStatus(received) : refusalOf(response, received.status)
}

const classify = (response: typeof ResponseBody.Type, received: ProviderResponse): ProviderOutcome =>
  response.ok && received.status < 300
    ? accepted(idOf(fieldOf(response.result, "message_id")))
    : failureOf(response, received)

const EitaaSettings = Schema.Struct({
  token: Credential,
  trust_contacts: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "Whether a signed contact without a user belongs to the person who shared it; no by default."
  })
})

/** The body that the app's own backend forwards: both strings as Eitaa signed them. */
const readPosted = Schema.decodeUnknownOption(
  Schema.Struct({ init_data: Schema.String, contact: Schema.optionalKey(Schema.String) })
)

/** Trusts only Eitaa's signatures, regardless of the sender of the request. */
const readVerified =
  (token: string, trustsContacts: boolean) =>
  (posted: unknown, now: Instant): BotUpdate | null => {
    const found = Option.getOrNull(readPosted(posted))
    if (found === null) return null
    const update = Result.flatMap(
      verifyInitData(token, found.init_data, now),
      ({ chatId }): Result.Result<BotUpdate, unknown> =>
        found.contact === undefined
          ? Result.succeed(BotUpdate.Spoke({ chatId }))
          : Result.map(verifySharedContact(token, found.contact, now), (contact) =>
              BotUpdate.SharedContact({
                chatId,
                phone: contact.phone,
                isOwn: contact.chatId === null ? trustsContacts : contact.chatId === chatId,
                isProven: contact.chatId !== null
              })
            )
    )
    return Result.getOrNull(update)
  }

const noChat = rejected("recipient", "not sent: this phone has not met the app")

/** Documented as a number; if a number cannot hold it, it is sent as digits. */
const chatIdOf = (chatId: string): number | string =>
  /^[1-9]\d*$/.test(chatId) && Number.isSafeInteger(Number(chatId)) ? Number(chatId) : chatId

/** A mini-app of Eitaa, which writes to people who opened it. Source: developer.eitaa.com. */
export const eitaaAppAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter =>
  adapter({ name: "eitaa_app", channels: ["eitaa"], settings: EitaaSettings }, (account) => {
    const { token, trust_contacts = false } = account
    const calls = jsonCalls(http, baseUrl, {}, ResponseBody)
    const sendMessage = (chatId: string, text: string, isBackground = false) =>
      Effect.map(
        calls.send("/app/sendMessage", { token, chat_id: chatIdOf(chatId), text }, classify, {
          isBackground
        }),
        // A platform can repeat what it received.
        (outcome) => inWords(outcome, (words) => words.replaceAll(token, "•••"))
      )
    const sendText = ({ chatId, text }: Addressed<TextDelivery>) =>
      chatId === null ? Effect.succeed(noChat) : sendMessage(chatId, Redacted.value(text))
    return connectionTo(baseUrl, {
      traits: { needsContact: true },
      sendCode: sendText,
      sendText,
      inbox: {
        read: readVerified(token, trust_contacts),
        secretHeader: null,
        announceWebhook: null,
        poll: null,
        reply: (chatId, { text, textInApp = text }) => sendMessage(chatId, textInApp, true)
      }
    })
  })
