import { Effect, Option, Schema } from "effect"
import { type Blame, inWords, ProviderOutcome } from "../../../domain/account/ProviderOutcome.ts"
import { AccountProblem } from "../../../services/provider/ProviderAdapter.ts"
import { outcomeOfStatus, ownValue, perhaps, providerWords } from "../ProviderAnswers.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"

const answerOf = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({ status: Schema.String, dev_message: perhaps(Schema.String), data: perhaps(data) })

const Id = Schema.Union([Schema.String, Schema.Finite])
/** For sends: the data is parsed once the status is known, because a failure can have any data. */
export const Answer = answerOf(Schema.Unknown)
const readSent = Schema.decodeUnknownOption(Schema.Struct({ message_id: Id }))
export const Me = answerOf(
  Schema.Struct({ bot: perhaps(Schema.Struct({ username: perhaps(Schema.String) })) })
)
export const Updates = answerOf(
  Schema.Struct({ updates: perhaps(Schema.Array(Schema.Unknown)), next_offset_id: perhaps(Id) })
)

export type Failure = Pick<typeof Answer.Type, "status" | "dev_message">

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
  if (isRedirect || status === "OK") return inWords(byStatus, () => providerError)
  return LOST_CONTACT.test(providerError.replaceAll("_", " "))
    ? ProviderOutcome.Rejected({ blame: "recipient", providerError, isContactLost: true })
    : ProviderOutcome.Rejected({ blame: "request", providerError })
}

/** A success counts even if its id cannot be read. */
export const classify = (answer: typeof Answer.Type, received: ProviderAnswer): ProviderOutcome =>
  isSuccess(answer, received.status)
    ? ProviderOutcome.Accepted({
        messageId: Option.match(readSent(answer.data), {
          onNone: () => null,
          onSome: ({ message_id }) => String(message_id)
        })
      })
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
