import { Context, Effect, Fiber, Layer, Option, Result, Schema } from "effect"
import { MAX_IDEMPOTENCY_KEY_LENGTH } from "../domain/customer/IdempotencyKey.ts"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { isUtf8 } from "node:buffer"
import { IdempotencyKeyTooLong, IdempotencyRequired, ValidationError } from "../domain/Errors.ts"
import { problem } from "../domain/Problem.ts"
import { MAX_BATCH_BYTES, maxBodyBytes, withBodyLimit } from "./BodyLimits.ts"
import { respondWithError, type CodedError, documentedError } from "./errors/Envelope.ts"
import { announcesBody, IncomingRequest } from "./server/IncomingRequest.ts"

/** Responds with JSON text: what it contains of the customer's data stays exactly as it came. */
export const respondWithJson = (json: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(json, { contentType: "application/json" })

/** JSON of the management API, whose responses no cache may store. */
export const respondWithManagedJson = (json: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(json, {
    contentType: "application/json",
    headers: { "cache-control": "no-store" }
  })

/** A page of JSON texts. */
export const pageJson = (page: {
  readonly data: ReadonlyArray<string>
  readonly next_cursor: string | null
}): string => `{"data":[${page.data.join(",")}],"next_cursor":${JSON.stringify(page.next_cursor)}}`

const description = `Unique per request; at most ${MAX_IDEMPOTENCY_KEY_LENGTH} characters.`

export const requiredKey = { "idempotency-key": Schema.String.annotate({ description }) }

export const optionalKey = {
  "idempotency-key": Schema.optionalKey(Schema.String).annotateKey({ description })
}

/** Of a response that was given before. */
export const replayed = { "idempotency-replayed": Schema.optionalKey(Schema.Literal("true")) }

/** The request's Idempotency-Key header; null without one. */
export class CurrentIdempotencyKey extends Context.Service<CurrentIdempotencyKey, string | null>()(
  "peyk/http/RequestGuards/CurrentIdempotencyKey"
) {}

/** A valid idempotency key; null for none, and an empty header is none. */
export const keyInHeader = (
  header: string | undefined
): Result.Result<string | null, IdempotencyKeyTooLong> => {
  const key = header ?? ""
  if (key.length > MAX_IDEMPOTENCY_KEY_LENGTH) return Result.fail(new IdempotencyKeyTooLong())
  return Result.succeed(key === "" ? null : key)
}

const readKey = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
  Effect.fromResult(keyInHeader(headers["idempotency-key"]))
)

/** Refuses a request without a usable Idempotency-Key before reading its body. */
export class RequireIdempotencyKey extends HttpApiMiddleware.Service<
  RequireIdempotencyKey,
  { provides: CurrentIdempotencyKey }
>()("peyk/http/RequestGuards/RequireIdempotencyKey", {
  error: [documentedError("idempotency_required"), documentedError("idempotency_key_too_long")]
}) {
  static readonly layer = Layer.succeed(RequireIdempotencyKey, (httpEffect) =>
    Effect.matchEffect(readKey, {
      onFailure: respondWithError,
      onSuccess: (key) =>
        key === null
          ? respondWithError(new IdempotencyRequired())
          : Effect.provideService(httpEffect, CurrentIdempotencyKey, key)
    })
  )
}

/** Refuses a request whose Idempotency-Key is too long before reading its body. */
export class OptionalIdempotencyKey extends HttpApiMiddleware.Service<
  OptionalIdempotencyKey,
  { provides: CurrentIdempotencyKey }
>()("peyk/http/RequestGuards/OptionalIdempotencyKey", {
  error: documentedError("idempotency_key_too_long")
}) {
  static readonly layer = Layer.succeed(OptionalIdempotencyKey, (httpEffect) =>
    Effect.matchEffect(readKey, {
      onFailure: respondWithError,
      onSuccess: (key) => Effect.provideService(httpEffect, CurrentIdempotencyKey, key)
    })
  )
}

export const isJson = (contentType: string | undefined): boolean =>
  contentType?.split(";")[0]?.trim().toLowerCase() === "application/json"

const bodyErrors = [
  documentedError("unsupported_media_type"),
  documentedError("request_timeout"),
  documentedError("payload_too_large"),
  documentedError("validation_error")
] as const

const NOT_UTF8: CodedError = new ValidationError({
  problems: [{ path: "body", problem: problem("not_utf8") }]
})

/**
 * Waits for the body. JSON is UTF-8: what a client sends in another encoding would be decoded as U+FFFD, and sent to
 * phones so. The next reader handles what else is wrong with the body.
 */
const awaitUtf8 = Effect.gen(function* () {
  yield* awaitBody
  const { arrayBuffer } = yield* HttpServerRequest.HttpServerRequest
  const bytes = yield* Effect.option(arrayBuffer)
  if (Option.isSome(bytes) && !isUtf8(bytes.value)) return yield* Effect.fail(NOT_UTF8)
})

/** Refuses a body that is not JSON or announces that it is too large; then waits for it. */
const afterJson =
  (maxBytes: number) =>
  <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      if (!isJson(headers["content-type"])) return respondWithError({ _tag: "unsupported_media_type" })
      if (Number(headers["content-length"]) > maxBytes) return respondWithError({ _tag: "payload_too_large" })
      return Effect.matchEffect(awaitUtf8, { onFailure: respondWithError, onSuccess: () => httpEffect })
    })

/** For operations with a body. */
export class RequireJson extends HttpApiMiddleware.Service<RequireJson>()(
  "peyk/http/RequestGuards/RequireJson",
  {
    error: bodyErrors
  }
) {
  static readonly layer = Layer.effect(
    RequireJson,
    Effect.map(maxBodyBytes, (maxBytes) => RequireJson.of(afterJson(maxBytes)))
  )
}

/** For operations whose body is a batch. */
export class RequireBatchJson extends HttpApiMiddleware.Service<RequireBatchJson>()(
  "peyk/http/RequestGuards/RequireBatchJson",
  { error: bodyErrors }
) {
  static readonly layer = Layer.effect(
    RequireBatchJson,
    Effect.map(maxBodyBytes, (usual) => {
      const maxBytes = Math.max(usual, MAX_BATCH_BYTES)
      const read = afterJson(maxBytes)
      return RequireBatchJson.of((httpEffect) => withBodyLimit(maxBytes)(read(httpEffect)))
    })
  )
}

/** For operations that can do without a body. */
export class OptionalJson extends HttpApiMiddleware.Service<OptionalJson>()(
  "peyk/http/RequestGuards/OptionalJson",
  {
    error: bodyErrors
  }
) {
  static readonly layer = Layer.effect(
    OptionalJson,
    Effect.map(maxBodyBytes, (maxBytes) => {
      const read = afterJson(maxBytes)
      return OptionalJson.of((httpEffect) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
          announcesBody(headers) ? read(httpEffect) : httpEffect
        )
      )
    })
  )
}

const tooLate: CodedError = { _tag: "request_timeout" }
const noRoom: CodedError = { _tag: "service_unavailable" }

const comeToWork = (source: IncomingRequest) =>
  Effect.suspend(() => (source.endBodyWait() ? Effect.void : Effect.fail(noRoom)))

/**
 * Waits until the request's whole body has arrived, and stores it. The next reader handles what is wrong with the
 * body.
 */
export const awaitBody = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { source } = request
  if (!(source instanceof IncomingRequest)) return
  if (source.complete) return yield* comeToWork(source)
  const givenUp = Effect.callback<never, CodedError>((resume) => {
    source.waitForBody(() => resume(Effect.fail(tooLate)))
  })
  // Interrupting the read would close the connection before the response.
  const reading = yield* Effect.forkDetach(request.arrayBuffer)
  return yield* Effect.raceFirst(givenUp, Effect.andThen(Fiber.await(reading), comeToWork(source)))
})
