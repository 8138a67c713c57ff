import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { ValidationError } from "../../../domain/Errors.ts"
import { answerError, type CodedError, documentedError } from "../../Envelope.ts"
import { announcesBody, awaitBody } from "../../server/RequestBody.ts"
import { isJson, maxBodyBytes } from "../../RequestGuards.ts"
import { MAX_ISSUES } from "../../SchemaErrors.ts"

/** Operations without a body that change something. */
export const undeclaredBodyErrors = [
  documentedError("unsupported_media_type"),
  documentedError("validation_error")
] as const

type Refusal = Effect.Effect<void, CodedError>

const invalid = (...errors: ReadonlyArray<{ readonly path: string; readonly message: string }>): Refusal =>
  Effect.fail(new ValidationError({ details: { errors } }))

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** With the texts of a declared body. */
const refuseFields = (text: string): Refusal => {
  const body = parse(text)
  if (body === undefined) return invalid({ path: "body", message: "Expected a valid JSON body" })
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return invalid({ path: "body", message: "Expected an empty object" })
  }
  const names = Object.keys(body).slice(0, MAX_ISSUES)
  if (names.length === 0) return Effect.void
  return invalid(...names.map((name) => ({ path: `body.${name}`, message: "unknown field" })))
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

/**
 * Refuses fields if an operation takes no body: they would have no effect. An empty object passes. Bodies
 * of reads are ignored: they have no meaning (RFC 9110, 9.3.1).
 */
export class NoUndeclaredBody extends HttpApiMiddleware.Service<NoUndeclaredBody>()(
  "peyk/http/NoUndeclaredBody"
) {
  static readonly layer = Layer.effect(
    NoUndeclaredBody,
    Effect.map(maxBodyBytes, (maxBytes) => {
      const refuse = refuseBody(maxBytes)
      return NoUndeclaredBody.of((httpEffect, { endpoint }) =>
        endpoint.payload.size > 0 || endpoint.method === "GET"
          ? httpEffect
          : Effect.matchEffect(refuse, { onFailure: answerError, onSuccess: () => httpEffect })
      )
    })
  )
}
