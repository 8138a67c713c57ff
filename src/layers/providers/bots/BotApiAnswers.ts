import { Option, Schema } from "effect"
import { inWords, ProviderOutcome } from "../../../domain/account/ProviderOutcome.ts"
import { outcomeOfStatus, perhaps, providerWords } from "../ProviderAnswers.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"

/** The response of every method. Optional fields are parsed when they matter, because they can have any form. */
export const Envelope = Schema.Struct({
  ok: Schema.Boolean,
  result: Schema.optionalKey(Schema.Unknown),
  description: perhaps(Schema.String),
  error_code: perhaps(Schema.Int),
  parameters: Schema.optionalKey(Schema.Unknown)
})
export type Envelope = typeof Envelope.Type

const readSent = Schema.decodeUnknownOption(
  Schema.Struct({ message_id: Schema.Union([Schema.Int, Schema.String]) })
)
const readParameters = Schema.decodeUnknownOption(Schema.Struct({ retry_after: Schema.Finite }))

/** Descriptions of a recipient whom the bot cannot write to, or no longer. */
const LOST_CONTACT =
  /chat not found|user not found|no such group or user|user is deactivated|bot was blocked|peer_id_invalid/i

export const isSuccess = ({ ok }: Envelope, { status }: Pick<ProviderAnswer, "status">): boolean =>
  ok && status >= 200 && status < 300

/** A response's own code, if it is one of HTTP's errors: clones can use other numbers. */
const ownCode = ({ error_code }: Envelope): number | null =>
  typeof error_code === "number" && isHttpError(error_code) ? error_code : null

const isHttpError = (code: number): boolean => code >= 400 && code < 600

/** The code of a failure: its own, or else the HTTP status. */
export const codeOf = (answer: Envelope, { status }: Pick<ProviderAnswer, "status">): number =>
  ownCode(answer) ?? status

/** Whether the platform's decision is final, so that a repeat would get the same. */
export const isDefiniteCode = (code: number): boolean =>
  code >= 400 && code < 500 && ![408, 425, 429].includes(code)

/** A failure's text, without the token in case the description repeats it. */
export const wordsOf = ({ error_code, description }: Envelope, token: string): string =>
  providerWords(error_code, description?.replaceAll(token, "•••"))

/**
 * The description decides first, because not every clone has codes; but not against a code that blames something
 * else.
 */
const isContactLost = (answer: Envelope): boolean => {
  const own = ownCode(answer)
  const mayBeRecipient = own === null || (isDefiniteCode(own) && own !== 401)
  return mayBeRecipient && LOST_CONTACT.test(answer.description ?? "")
}

const failureOf = (answer: Envelope, received: ProviderAnswer, token: string): ProviderOutcome => {
  const providerError = wordsOf(answer, token)
  const code = codeOf(answer, received)
  if (isContactLost(answer)) {
    return ProviderOutcome.Rejected({ blame: "recipient", providerError, isContactLost: true })
  }
  // Such a refusal does not mean that the chat is over, whatever it blames.
  if (code === 403) return ProviderOutcome.Rejected({ blame: "recipient", providerError })
  if (code === 429) {
    const retryAfterMillis = Option.match(readParameters(answer.parameters), {
      onNone: () => received.retryAfterMillis,
      onSome: ({ retry_after }) => retry_after * 1000
    })
    return ProviderOutcome.Throttled({ retryAfterMillis, providerError })
  }
  // Another program uses the bot in a way that excludes Peyk.
  if (code === 409) return ProviderOutcome.Rejected({ blame: "configuration", providerError })
  // A plain refusal with HTTP 200 is still a refusal.
  if (!isHttpError(code)) return ProviderOutcome.Rejected({ blame: "request", providerError })
  return inWords(outcomeOfStatus({ ...received, status: code }), () => providerError)
}

/** A success counts even if its id cannot be read. */
export const classifySend =
  (token: string) =>
  (answer: Envelope, received: ProviderAnswer): ProviderOutcome => {
    if (isSuccess(answer, received)) {
      const messageId = Option.match(readSent(answer.result), {
        onNone: () => null,
        onSome: ({ message_id }) => String(message_id)
      })
      return ProviderOutcome.Accepted({ messageId })
    }
    return answer.ok
      ? ProviderOutcome.Unknown({ providerError: `ok, but HTTP ${received.status}` })
      : failureOf(answer, received, token)
  }
