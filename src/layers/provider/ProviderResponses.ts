import { Effect, Option, Schema } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { inWords, ProviderOutcome, type RejectionCause } from "../../domain/ProviderOutcome.ts"
import type { CallFailure, ProviderHttp, ProviderRequest, ProviderResponse } from "./ProviderHttp.ts"
import { AccountProblem } from "../../services/provider/ProviderAdapter.ts"

/**
 * Recipients whom a bot cannot write to any more, in the words of Telegram and of those that repeat its API. The same
 * refusal has several spellings, in sentences and in names (`USER_IS_BLOCKED`), under HTTP 400 and 403. A bot or an
 * account alone may be the sender's own: it counts only next to the person, or in the Bot API's own words.
 */
const LOST: ReadonlyArray<RegExp> = [
  // Blocked: “bot was blocked by the user”, USER_IS_BLOCKED, YOU_BLOCKED_USER, “user has blocked the bot”.
  /\bbot was blocked\b/,
  /\b(user|peer|you|chat|recipient)( (was|were|is|has|have|been|also))* blocked\b/,
  /\b(blocked|stopped|deactivated|deleted) by (the |this )?(user|recipient|peer)\b/,
  /\b(user|recipient) (has )?(stopped|blocked) (the |this |your )?bot\b/,
  /\b(chat|user) (was |is |has been )?stopped\b/,
  // The person's account is gone: “user is deactivated”, INPUT_USER_DEACTIVATED, USER_DEACTIVATED_BAN, “user is deleted”.
  /\b(user|chat|peer|recipient)( s account)?( (was|is|has|been))* (deactivated|deleted)\b/,
  /\b(deleted|deactivated) (user|chat)\b/,
  // There never was one: “chat not found”, PEER_ID_INVALID, “no such group or user”, “user does not exist”.
  /\b(chat|user|peer|recipient)( id)?( (was|is))? not found\b/,
  /\b(chat|user|peer|recipient)( id)?( does| has| was| is)? not exists?\b/,
  /\bno such (group or user|user|chat|peer)\b/,
  /\b(peer|chat|user) id (is )?invalid\b/,
  /\binvalid (peer|chat|user) id\b/
]

/** One spelling for sentences and for names. */
const plain = (words: string): string =>
  words
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

/** Whether a refusal's words say that the recipient cannot be reached by this chat any more. */
export const isRecipientLost = (words: string): boolean => {
  const text = plain(words)
  return LOST.some((pattern) => pattern.test(text))
}

/** A field that a provider can omit, or send as null. */
export const perhaps = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** The value of a table's own key: a provider can send any word, such as `constructor`. */
export const ownValue = <A>(
  table: Readonly<Record<number | string, A>>,
  key: number | string
): A | undefined => (Object.hasOwn(table, key) ? table[key] : undefined)

/** A larger number is in another unit. */
const MAX_UNIX_SECONDS = 1e11

/** A provider's time in Unix seconds; null if it is no such time. */
export const instantOfSeconds = (seconds: unknown): Instant | null =>
  typeof seconds === "number" && Number.isInteger(seconds) && seconds > 0 && seconds < MAX_UNIX_SECONDS
    ? seconds * 1000
    : null

/** The outcome of a call without a response. */
export const outcomeOfFailure = ({ _tag, reason }: CallFailure): ProviderOutcome =>
  _tag === "NotSent"
    ? ProviderOutcome.Unavailable({ providerError: `not sent: ${reason}` })
    : ProviderOutcome.Unknown({ providerError: `no answer: ${reason}` })

/**
 * The outcome if only the HTTP status is readable: a gateway's page, or a provider without details. After a server
 * error (5xx) the message may have been sent, unless the server asks for a retry at a named time.
 */
export const outcomeOfStatus = ({ status, retryAfterMillis }: ProviderResponse): ProviderOutcome => {
  const providerError = `HTTP ${status}`
  if (status === 429) return ProviderOutcome.Throttled({ retryAfterMillis, providerError })
  if (status === 503 && retryAfterMillis !== null) return ProviderOutcome.Unavailable({ providerError })
  if (status === 425) return ProviderOutcome.Unavailable({ providerError })
  if (status < 300 || status >= 500 || status === 408) return ProviderOutcome.Unknown({ providerError })
  // A redirect: the base URL is not the provider's. A path or method that it does not know shows the same.
  const isSetUpWrong = status < 400 || [401, 403, 404, 405, 407].includes(status)
  return ProviderOutcome.Rejected({ cause: isSetUpWrong ? "configuration" : "request", providerError })
}

/**
 * The outcome of a response that says no, in a way that the documents do not show: HTTP's status may show the cause, or
 * that the send may have gone out all the same.
 */
export const outcomeOfRefusal = (
  received: ProviderResponse,
  providerError: string,
  cause: RejectionCause = "request"
): ProviderOutcome =>
  received.status < 300
    ? ProviderOutcome.Rejected({ cause, providerError })
    : inWords(outcomeOfStatus(received), () => providerError)

/** Sends and classifies: by the provider's own response if it is readable, else by the status or the failure. */
export const send = <ResponseBody extends Schema.Decoder<unknown>>(
  http: ProviderHttp["Service"],
  request: ProviderRequest,
  response: ResponseBody,
  classify: (response: ResponseBody["Type"], http: ProviderResponse) => ProviderOutcome
): Effect.Effect<ProviderOutcome> => {
  const decode = Schema.decodeUnknownOption(response)
  return http.call(request).pipe(
    Effect.map((received) =>
      Option.match(decode(received.json), {
        onNone: () => outcomeOfStatus(received),
        onSome: (decoded) => classify(decoded, received)
      })
    ),
    Effect.catch((failure) => Effect.succeed(outcomeOfFailure(failure)))
  )
}

/** For a call that changes nothing: fails with a description that contains no credential. */
export const query = <ResponseBody extends Schema.Decoder<unknown>>(
  http: ProviderHttp["Service"],
  request: ProviderRequest,
  response: ResponseBody
): Effect.Effect<{ readonly response: ResponseBody["Type"]; readonly status: number }, AccountProblem> => {
  const decode = Schema.decodeUnknownOption(response)
  return http.call({ ...request, isBackground: true }).pipe(
    Effect.mapError(({ reason }) => new AccountProblem({ message: reason, isDefinite: false })),
    Effect.flatMap((received) =>
      Option.match(decode(received.json), {
        onNone: () =>
          Effect.fail(
            new AccountProblem({
              message: `HTTP ${received.status}, and an answer that is not the provider's`,
              isDefinite: [401, 403].includes(received.status)
            })
          ),
        onSome: (decoded) => Effect.succeed({ response: decoded, status: received.status })
      })
    )
  )
}

/** A provider's code and text, in one line. */
export const providerWords = (
  code: number | string | null | undefined,
  text: string | null | undefined
): string =>
  [code, text].filter((part) => part !== null && part !== undefined && part !== "").join(" ") ||
  "refused without a reason"
