import { Effect } from "effect"
import { DeliveryReport } from "../../domain/provider/DeliveryReport.ts"
import { HIDDEN, inWords, type ProviderOutcome } from "../../domain/provider/ProviderOutcome.ts"
import {
  AccountProblem,
  type BotInbox,
  type ProviderConnection,
  SECRET_SETTINGS
} from "../../services/provider/ProviderAdapter.ts"

const credentialsIn = (settings: unknown): ReadonlyArray<string> =>
  Object.entries(Object(settings)).flatMap(([name, value]) =>
    SECRET_SETTINGS.includes(name) && typeof value === "string" && value !== "" ? [value] : []
  )

const maskingProblems =
  (mask: (words: string) => string) =>
  <A>(effect: Effect.Effect<A, AccountProblem>) =>
    Effect.mapError(
      effect,
      ({ message, isDefinite }) => new AccountProblem({ message: mask(message), isDefinite })
    )

const maskInbox = (inbox: BotInbox, mask: (words: string) => string): BotInbox => {
  const { announceWebhook, poll, reply } = inbox
  const orMasked = maskingProblems(mask)
  return {
    ...inbox,
    announceWebhook: announceWebhook && ((webhook) => orMasked(announceWebhook(webhook))),
    poll: poll && ((cursor, waitMillis) => orMasked(poll(cursor, waitMillis))),
    reply: (chatId, words) => Effect.map(reply(chatId, words), (outcome) => inWords(outcome, mask))
  }
}

const maskReport = (report: DeliveryReport, mask: (words: string) => string): DeliveryReport => {
  switch (report._tag) {
    case "Undelivered":
      return DeliveryReport.Undelivered({ providerError: mask(report.providerError) })
    case "NotKnown":
      return DeliveryReport.NotKnown({ reason: mask(report.reason) })
    case "Delivered":
    case "InProgress":
      return report
  }
}

/** The connection, with the account's credentials masked in its texts: a provider can echo what it received. */
export const maskCredentials = (connection: ProviderConnection, settings: unknown): ProviderConnection => {
  const credentials = credentialsIn(settings)
  const mask = (words: string): string =>
    credentials.reduce((rest, credential) => rest.replaceAll(credential, HIDDEN), words)
  const masked = (outcome: Effect.Effect<ProviderOutcome>) =>
    Effect.map(outcome, (each) => inWords(each, mask))
  const orMasked = maskingProblems(mask)
  const { sendCode, sendText, check, credit, deliveryReport, inbox } = connection
  return {
    ...connection,
    sendCode: (delivery) => masked(sendCode(delivery)),
    sendText: (delivery) => masked(sendText(delivery)),
    check: check && orMasked(Effect.map(check, mask)),
    ...(credit !== undefined && { credit: orMasked(credit) }),
    deliveryReport:
      deliveryReport &&
      ((messageId) => Effect.map(deliveryReport(messageId), (report) => maskReport(report, mask))),
    inbox: inbox && maskInbox(inbox, mask)
  }
}
