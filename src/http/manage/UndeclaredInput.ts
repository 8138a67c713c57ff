import { Effect, Layer, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import { ValidationError } from "../../domain/Errors.ts"
import { type FieldProblem, problem } from "../../domain/Problem.ts"
import { awaitBody, isJson } from "../RequestGuards.ts"
import { maxBodyBytes } from "../BodyLimits.ts"
import { respondWithError, type CodedError, documentedError } from "../errors/Envelope.ts"
import { errorTable } from "../errors/ErrorTable.ts"
import { MAX_ISSUES } from "../errors/SchemaErrors.ts"
import { announcesBody } from "../server/IncomingRequest.ts"

/** Operations without a body that change something. */
export const undeclaredBodyErrors = [
  documentedError("unsupported_media_type"),
  documentedError("validation_error")
] as const

type Refusal = Effect.Effect<void, CodedError>

const invalid = (...problems: ReadonlyArray<FieldProblem>): Refusal =>
  Effect.fail(new ValidationError({ problems }))

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** With the texts of declared ones. */
const refuseUnknown = (root: string, names: ReadonlyArray<string>): Refusal =>
  names.length === 0
    ? Effect.void
    : invalid(
        ...names
          .slice(0, MAX_ISSUES)
          .map((name) => ({ path: `${root}.${name}`, problem: problem("unknown_field") }))
      )

const refuseParameters = Effect.flatMap(HttpServerRequest.ParsedSearchParams, (given) =>
  refuseUnknown("query", Object.keys(given))
)

/** `*` is met by what exists. */
const refuseVersion = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }): Refusal => {
  const given = headers["if-match"]
  return given === undefined || given.trim() === "*"
    ? Effect.void
    : invalid({ path: "headers.if-match", problem: problem("no_versions") })
})

const refuseFields = (text: string): Refusal => {
  const body = parse(text)
  if (body === undefined) return invalid({ path: "body", problem: problem("not_json") })
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return invalid({ path: "body", problem: problem("not_empty_object") })
  }
  return refuseUnknown("body", Object.keys(body))
}

const refuseBody = (maxBytes: number) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { headers } = request
    if (!announcesBody(headers)) return
    if (Number(headers["content-length"]) > maxBytes) {
      return yield* Effect.fail<CodedError>({ _tag: "payload_too_large" })
    }
    yield* awaitBody
    const text = yield* Effect.orDie(request.text)
    if (text === "") return
    const type = headers["content-type"]
    if (type !== undefined && !isJson(type)) {
      return yield* Effect.fail<CodedError>({ _tag: "unsupported_media_type" })
    }
    yield* refuseFields(text)
  })

const PRECONDITION_FAILED = errorTable.precondition_failed.status

const comparesVersions = ({ error }: HttpApiEndpoint.Top): boolean =>
  [...error].some((schema) => Schema.resolveAnnotationsKey(schema)?.httpApiStatus === PRECONDITION_FAILED)

/**
 * Refuses query parameters, a version to compare and fields that an operation does not take: they would have no effect.
 * An empty object passes. Schemas check what an operation does take. Reads ignore a body and a version: neither has a
 * meaning there (RFC 9110, 9.3.1).
 */
export class NoUndeclaredInput extends HttpApiMiddleware.Service<NoUndeclaredInput>()(
  "peyk/http/wire/UndeclaredInput/NoUndeclaredInput",
  { error: documentedError("validation_error") }
) {
  static readonly layer = Layer.effect(
    NoUndeclaredInput,
    Effect.map(maxBodyBytes, (maxBytes) => {
      const refuse = refuseBody(maxBytes)
      const refusals = (endpoint: HttpApiEndpoint.Top) => {
        const { method, query, payload } = endpoint
        const writes = method !== "GET"
        return [
          ...(query === undefined ? [refuseParameters] : []),
          ...(writes && !comparesVersions(endpoint) ? [refuseVersion] : []),
          ...(writes && payload.size === 0 ? [refuse] : [])
        ]
      }
      return NoUndeclaredInput.of((httpEffect, { endpoint }) =>
        Effect.matchEffect(Effect.all(refusals(endpoint), { discard: true }), {
          onFailure: respondWithError,
          onSuccess: () => httpEffect
        })
      )
    })
  )
}
