import { Effect, Schema } from "effect"
import { type Blame, inWords, ProviderOutcome } from "../../../domain/provider/ProviderOutcome.ts"
import { AccountProblem } from "../../../services/provider/ProviderAdapter.ts"
import { fieldOf, idOf, maybeAnything, maybeWords } from "../LenientAnswers.ts"
import { isRecipientLost } from "../LostRecipients.ts"
import { outcomeOfStatus, ownValue, providerWords } from "../ProviderAnswers.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"

/** Every answer; the data is read once the status is known. */
export const Answer = Schema.Struct({ status: Schema.String, dev_message: maybeWords, data: maybeAnything })

export type Failure = Pick<typeof Answer.Type, "status" | "dev_message">

const isOk = (status: string): boolean => /^\s*ok\s*$/i.test(status)

const isSuccess = (answer: Failure, httpStatus: number): boolean => isOk(answer.status) && httpStatus < 300

/** The cause that each known status means. */
const blames: Readonly<Record<string, Blame>> = {
  INVALID_ACCESS: "configuration",
  INVALID_AUTH: "configuration",
  NOT_REGISTERED: "configuration",
  INVALID_INPUT: "request"
}

/** Whether HTTP's status is about the account or the service, whatever the body says. */
const isTelling = (status: number): boolean => [401, 403, 408, 425, 429].includes(status) || status >= 500

/** No list of statuses is published: an unknown one is a refusal, unless the HTTP status says otherwise. */
const failureOf = ({ status, dev_message }: Failure, received: ProviderAnswer): ProviderOutcome => {
  const providerError = providerWords(status, dev_message)
  const { retryAfterMillis } = received
  if (status === "TOO_REQUESTS") return ProviderOutcome.Throttled({ retryAfterMillis, providerError })
  const byStatus = outcomeOfStatus(received)
  if (isTelling(received.status)) return inWords(byStatus, () => providerError)
  const blame = ownValue(blames, status)
  if (blame !== undefined) return ProviderOutcome.Rejected({ blame, providerError })
  const isRedirect = received.status >= 300 && received.status < 400
  if (isRedirect || isOk(status)) return inWords(byStatus, () => providerError)
  return isRecipientLost(providerError)
    ? ProviderOutcome.Rejected({ blame: "recipient", providerError, isContactLost: true })
    : ProviderOutcome.Rejected({ blame: "request", providerError })
}

/** A success counts even if its id cannot be read. */
export const classify = (answer: typeof Answer.Type, received: ProviderAnswer): ProviderOutcome =>
  isSuccess(answer, received.status)
    ? ProviderOutcome.Accepted({ messageId: idOf(fieldOf(answer.data, "message_id")) })
    : failureOf(answer, received)

export const orProblem = <A extends Failure>({
  answer,
  status
}: {
  readonly answer: A
  readonly status: number
}) =>
  isSuccess(answer, status)
    ? Effect.succeed(answer)
    : Effect.fail(
        new AccountProblem({
          message: providerWords(answer.status, answer.dev_message),
          isDefinite: failureOf(answer, { status, retryAfterMillis: null, json: answer })._tag === "Rejected"
        })
      )
