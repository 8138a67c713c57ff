import { Schema } from "effect"
import { inWords, ProviderOutcome } from "../../../domain/provider/ProviderOutcome.ts"
import { fieldOf, idOf, maybeAnything, maybeWhole, maybeWords, YesOrNo } from "../LenientAnswers.ts"
import { isRecipientLost } from "../LostRecipients.ts"
import { outcomeOfStatus, providerWords } from "../ProviderAnswers.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"

/** Only `{"ok":true,"result":"success"}` is documented: anything else is a failure. */
export const Answer = Schema.Struct({
  ok: YesOrNo,
  result: maybeAnything,
  error_code: maybeWhole,
  description: maybeWords
})

/** Errors about the person, not the app. */
const NOT_ALLOWED = /blocked|permission|access(?! token)/i

/** No list of errors is published. A refusal without a reason is usually a person who does not allow messages. */
const refusalOf = ({ error_code, description }: typeof Answer.Type, httpStatus: number): ProviderOutcome => {
  const providerError = providerWords(error_code, description)
  if (isRecipientLost(description ?? "")) {
    return ProviderOutcome.Rejected({ blame: "recipient", providerError, isContactLost: true })
  }
  const isBare = (error_code ?? null) === null && (description ?? "") === ""
  const isRecipient =
    isBare || [403, 404].includes(error_code ?? httpStatus) || NOT_ALLOWED.test(description ?? "")
  return ProviderOutcome.Rejected({ blame: isRecipient ? "recipient" : "request", providerError })
}

const isAboutService = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500

const failureOf = (answer: typeof Answer.Type, received: ProviderAnswer): ProviderOutcome => {
  const { error_code, description } = answer
  const providerError = providerWords(error_code, description)
  const statuses = [received.status, error_code ?? received.status]
  if (statuses.includes(401)) return ProviderOutcome.Rejected({ blame: "configuration", providerError })
  const status = statuses.find(isAboutService)
  if (status !== undefined) return inWords(outcomeOfStatus({ ...received, status }), () => providerError)
  // A redirect, or a success with a failing HTTP status.
  const isContradicted = answer.ok || (received.status >= 300 && received.status < 400)
  return isContradicted ? outcomeOfStatus(received) : refusalOf(answer, received.status)
}

export const classify = (answer: typeof Answer.Type, received: ProviderAnswer): ProviderOutcome =>
  answer.ok && received.status < 300
    ? ProviderOutcome.Accepted({ messageId: idOf(fieldOf(answer.result, "message_id")) })
    : failureOf(answer, received)
