import { Effect, Option, Schema } from "effect"
import { ProviderOutcome } from "../../domain/account/ProviderOutcome.ts"
import { AccountProblem } from "../../services/provider/ProviderAdapter.ts"
import type { CallFailure, ProviderAnswer, ProviderHttp, ProviderRequest } from "./ProviderHttp.ts"

/** What a provider may leave out, or send as null. */
export const perhaps = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** The outcome of a call that was not answered. */
export const outcomeOfFailure = ({ _tag, reason }: CallFailure): ProviderOutcome =>
  _tag === "NotSent"
    ? ProviderOutcome.Unavailable({ providerError: `not sent: ${reason}` })
    : ProviderOutcome.Unknown({ providerError: `no answer: ${reason}` })

/**
 * The outcome where only the HTTP status can be read: a gateway's page, or a provider that says no more. What a server
 * broke off (5xx) may have been sent, unless it asks to be tried again at a time that it names.
 */
export const outcomeOfStatus = ({ status, retryAfterMillis }: ProviderAnswer): ProviderOutcome => {
  const providerError = `HTTP ${status}`
  if (status === 429) return ProviderOutcome.Throttled({ retryAfterMillis, providerError })
  if (status === 503 && retryAfterMillis !== null) return ProviderOutcome.Unavailable({ providerError })
  if (status === 425) return ProviderOutcome.Unavailable({ providerError })
  if (status < 300 || status >= 500 || status === 408) return ProviderOutcome.Unknown({ providerError })
  // A redirect: the base URL is not the provider's; as are a path or a method that it does not know.
  const isSetUpWrong = status < 400 || [401, 403, 404, 405, 407].includes(status)
  return ProviderOutcome.Rejected({ blame: isSetUpWrong ? "configuration" : "request", providerError })
}

/** Sends, and classifies: what the provider says where it can be read, else the status, else what broke. */
export const send = <Answer extends Schema.Decoder<unknown>>(
  http: ProviderHttp["Service"],
  request: ProviderRequest,
  answer: Answer,
  classify: (answer: Answer["Type"], http: ProviderAnswer) => ProviderOutcome
): Effect.Effect<ProviderOutcome> => {
  const decode = Schema.decodeUnknownOption(answer)
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

/** For a question that changes nothing: fails with what is wrong, in words that name no credential. */
export const ask = <Answer extends Schema.Decoder<unknown>>(
  http: ProviderHttp["Service"],
  request: ProviderRequest,
  answer: Answer
): Effect.Effect<{ readonly answer: Answer["Type"]; readonly status: number }, AccountProblem> => {
  const decode = Schema.decodeUnknownOption(answer)
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
        onSome: (decoded) => Effect.succeed({ answer: decoded, status: received.status })
      })
    )
  )
}

/** Code and text as a provider gave them, in one line. */
export const providerWords = (
  code: number | string | null | undefined,
  text: string | null | undefined
): string =>
  [code, text].filter((part) => part !== null && part !== undefined && part !== "").join(" ") ||
  "refused without a reason"
