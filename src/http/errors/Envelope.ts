import { Context, Effect, Predicate, Schema } from "effect"
import { type HttpBody, HttpServerResponse } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { noNotes, type RequestNotes } from "../../services/activity/RequestLog.ts"
import { type ErrorCode, errorTable, textOf } from "./ErrorTable.ts"
import { type FieldProblem, type Problem } from "../../domain/Problem.ts"
import { type UsedBy } from "../../domain/Errors.ts"

/** Identifies one request, in its response, its logs and its errors. */
export const RequestId = Context.Reference<string>("peyk/http/errors/Envelope/RequestId", {
  defaultValue: () => "-"
})

/** Where handlers note what the request log has of the request. */
export const CurrentRequestNotes = Context.Reference<RequestNotes>(
  "peyk/http/errors/Envelope/CurrentRequestNotes",
  {
    defaultValue: () => noNotes
  }
)

export type ErrorDetails = Readonly<Record<string, unknown>>

interface ErrorParts {
  readonly details?: ErrorDetails
  /** In place of the code's own text. */
  readonly text?: string
}

/** The body of every error: `{error: {code, message, details}, request_id}`. */
export const envelope = (
  code: ErrorCode,
  requestId: string,
  { details = {}, text = textOf(code, details) }: ErrorParts = {}
) => ({
  error: { code, message: text, details },
  request_id: requestId
})

const RETRY_SOON = { "retry-after": "1" }

/** Headers of a code, in every response with it. */
export const headersOfCode: Readonly<Partial<Record<ErrorCode, Readonly<Record<string, string>>>>> = {
  service_unavailable: RETRY_SOON,
  idempotency_key_in_progress: RETRY_SOON,
  // Later bytes on the connection are the rest of a body.
  request_timeout: { connection: "close" }
}

/** By body: it stays the same when a response gets other headers. */
const codes = new WeakMap<HttpBody.HttpBody, ErrorCode>()

/** The code in a response's envelope; none without an envelope. */
export const errorCodeOf = ({ body }: HttpServerResponse.HttpServerResponse): ErrorCode | undefined =>
  codes.get(body)

export const errorResponse = (
  code: ErrorCode,
  requestId: string,
  { headers, ...parts }: ErrorParts & { readonly headers?: Readonly<Record<string, string>> } = {}
): HttpServerResponse.HttpServerResponse => {
  const response = HttpServerResponse.jsonUnsafe(envelope(code, requestId, parts), {
    status: errorTable[code].status,
    headers: { ...headersOfCode[code], ...headers }
  })
  codes.set(response.body, code)
  return response
}

/** A domain error: its tag is its code. */
export interface CodedError {
  readonly _tag: ErrorCode
  readonly details?: ErrorDetails
  /** What is wrong; `details` says it in English. */
  readonly problem?: Problem | undefined
  readonly problems?: ReadonlyArray<FieldProblem>
  readonly usedBy?: UsedBy | undefined
  readonly retryAfterSeconds?: number
  /** For the envelope, in place of the code's own text. */
  readonly text?: string
}

export const respondWithError = (error: CodedError): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(RequestId, (requestId) =>
    errorResponse(error._tag, requestId, {
      ...(Predicate.isNotUndefined(error.details) ? { details: error.details } : {}),
      ...(Predicate.isNotUndefined(error.text) ? { text: error.text } : {}),
      ...(Predicate.isNotUndefined(error.retryAfterSeconds)
        ? { headers: { "retry-after": String(error.retryAfterSeconds) } }
        : {})
    })
  )

/** Responds with the effect's result, or with the envelope of its error. */
export const orEnvelope = <A, E extends CodedError, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catch(effect, respondWithError)

/** Adds to a missing or refused credential why; leaves other errors as they are. */
export const explained = <E extends CodedError>(error: E, text: () => string): E | CodedError =>
  error._tag === "unauthenticated" ? { _tag: "unauthenticated", text: text() } : error

const pascalCase = (code: string): string =>
  code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** A code's name in the API document: `not_found` is `NotFoundError`. */
const errorName = (code: string): string => `${pascalCase(code.replace(/_error$/, ""))}Error`

const describeError = (code: ErrorCode) =>
  Schema.Struct({
    error: Schema.Struct({
      code: Schema.Literal(code),
      message: Schema.String,
      details: Schema.Record(Schema.String, Schema.Unknown)
    }),
    request_id: Schema.String
  })
    .annotate({ identifier: errorName(code) })
    .pipe(HttpApiSchema.status(errorTable[code].status))

type DocumentedError = ReturnType<typeof describeError>

/** One schema for each code: the API document then refers to it, instead of repeating it. */
const documentedErrors = new Map<ErrorCode, DocumentedError>()

/** The envelope with one code, as API documents and generated clients see it. */
export const documentedError = (code: ErrorCode): DocumentedError => {
  const known = documentedErrors.get(code)
  if (known !== undefined) return known
  const made = describeError(code)
  documentedErrors.set(code, made)
  return made
}
