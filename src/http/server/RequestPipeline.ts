import { type Cause, Effect, Exit, Layer, Option, type Types } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiError } from "effect/http-api"
import { isUuid } from "../../domain/Uuid.ts"
import { type Cors, corsOf, securityHeaders } from "../Cors.ts"
import { CurrentRequestTime } from "../../services/concurrency/Workers.ts"
import { RequestLog, type RequestNotes } from "../../services/activity/RequestLog.ts"
import { CurrentRequestNotes, errorCodeOf, errorResponse, RequestId } from "../errors/Envelope.ts"
import type { ErrorCode } from "../errors/ErrorTable.ts"
import { MANAGEMENT_PATH } from "../manage/ManageAuth.ts"
import { givenRequestId, IncomingRequest } from "./IncomingRequest.ts"
import {
  type Responded,
  CLIENT_GONE,
  makeTrace,
  RequestMetrics,
  type RequestOutcome,
  UNMATCHED
} from "./RequestMetrics.ts"
import { type FindPath, pathOf, PublicUrl, type ServedPath } from "../RouteTable.ts"
import { fieldProblems, schemaErrorIn } from "../errors/SchemaErrors.ts"
import { ValidationError } from "../../domain/Errors.ts"

type Response = HttpServerResponse.HttpServerResponse

const rootOf = { Payload: "body", Params: "path", Query: "query", Headers: "headers" } as const

const fromSchemaError = ({ kind, cause }: HttpApiError.HttpApiSchemaError, requestId: string): Response => {
  if (kind === "Body" || kind === "ResponseHeaders") return errorResponse("internal_error", requestId)
  const { details } = new ValidationError({ problems: fieldProblems(cause.issue, rootOf[kind]) })
  return errorResponse("validation_error", requestId, { details })
}

const codeByStatus: Readonly<Record<number, ErrorCode>> = {
  400: "bad_request",
  404: "not_found",
  413: "payload_too_large",
  415: "unsupported_media_type",
  503: "service_unavailable"
}

/** Turns the bare statuses that Effect itself returns into envelopes. */
const fromStatus = (status: number, requestId: string): Response =>
  errorResponse(codeByStatus[status] ?? "internal_error", requestId)

/** An envelope, or a page of the console. */
const isOurs = ({ body }: Response): boolean =>
  body._tag === "Uint8Array" &&
  (body.contentType === "application/json" || body.contentType.startsWith("text/html"))

const wrapErrors = (response: Response, requestId: string): Response =>
  response.status < 400 || isOurs(response) ? response : fromStatus(response.status, requestId)

/** Distinguishes defects that mean "the store is unreachable or too slow" from bugs. */
export type IsUnavailable = (defect: unknown) => boolean

const isUnavailableCause = (cause: Cause.Cause<unknown>, isUnavailable: IsUnavailable): boolean =>
  cause.reasons.some((reason) => reason._tag === "Die" && isUnavailable(reason.defect))

/** The envelope of any failure of a request. */
export const fromCause = Effect.fnUntraced(function* (
  cause: Cause.Cause<unknown>,
  requestId: string,
  isUnavailable: IsUnavailable
) {
  const schemaError = schemaErrorIn(cause)
  if (Option.isSome(schemaError)) return fromSchemaError(schemaError.value, requestId)
  if (isUnavailableCause(cause, isUnavailable)) {
    yield* Effect.logWarning("the store is unreachable or too slow")
    return fromStatus(503, requestId)
  }
  const [response] = yield* HttpServerError.causeResponse(cause)
  // The client is gone and nothing is wrong here.
  if (response.status === CLIENT_GONE) return response
  if (response.status === 500) yield* Effect.logError("a request failed", cause)
  return wrapErrors(response, requestId)
})

const listOf = (methods: ReadonlySet<string>): string => [...methods].sort().join(", ")

/** With OPTIONS, which every path supports. */
const allMethods = ({ methods }: ServedPath): string => listOf(new Set([...methods, "OPTIONS"]))

interface RoutedRequest {
  readonly method: string
  readonly path: string
  readonly served: ServedPath | undefined
  readonly cors: Cors
  readonly requestId: string
}

/** The responses that need nothing else of a request: 404, 405, preflights and OPTIONS. */
const immediate = ({ method, path, served, cors, requestId }: RoutedRequest): Response | undefined => {
  if (served === undefined) return errorResponse("not_found", requestId)
  if (cors.preflight !== null) return HttpServerResponse.empty({ headers: cors.preflight })
  if (method === "OPTIONS") return path.startsWith(MANAGEMENT_PATH) ? undefined : HttpServerResponse.empty()
  return served.methods.has(method)
    ? undefined
    : errorResponse("method_not_allowed", requestId, { headers: { allow: allMethods(served) } })
}

/** The response to OPTIONS. */
const allowOf = ({ method, served }: RoutedRequest, { status }: Response) =>
  method === "OPTIONS" && served !== undefined && status < 300 ? { allow: allMethods(served) } : {}

/** What says itself how long it may be stored, may be. */
const cachingOf = ({ headers }: Response) => {
  const own = headers["cache-control"]
  return own === undefined ? {} : { "cache-control": own }
}

const outcomeOf = (response: Response): RequestOutcome => ({
  status: response.status,
  code: errorCodeOf(response)
})

const count = (responded: Responded, notes: RequestNotes) => (exit: Exit.Exit<Response, Types.unhandled>) =>
  Effect.sync(() => {
    const status = Exit.isSuccess(exit) ? exit.value.status : CLIENT_GONE
    const code = Exit.isSuccess(exit) ? errorCodeOf(exit.value) : undefined
    responded(status, code)
    notes.responded(status, code)
  })

/** The id in its path. */
const subjectIn = (path: string, served: ServedPath | undefined, method: string): string | undefined => {
  if (served === undefined || served.traitsOf(method).subject === null) return undefined
  const id = path.split("/")[served.parameterAt]
  return id !== undefined && isUuid(id) ? id : undefined
}

interface Surroundings {
  readonly random: SecureRandom.SecureRandom["Service"]
  readonly metrics: RequestMetrics["Service"]
  readonly log: RequestLog["Service"]
  readonly trace: Effect.Success<typeof makeTrace>
  readonly security: ReturnType<typeof securityHeaders>
}

interface RequestPipelineOptions {
  readonly findPath: FindPath
  readonly isPersonalPath: (path: string) => boolean
  readonly isUnavailable: IsUnavailable
  /** Shows people the envelope of an error, where they see it in a browser. */
  readonly asErrorPage: (
    response: Response
  ) => Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest>
  /** The origins whose pages may call the management API. */
  readonly corsOrigins: ReadonlySet<string>
}

/** Wraps every request: its id, unknown paths and methods, an envelope for every error, and its count. */
export const requestPipeline = ({
  findPath,
  isPersonalPath,
  isUnavailable,
  asErrorPage,
  corsOrigins: origins
}: RequestPipelineOptions) => {
  const respond = (
    app: Effect.Effect<Response, Types.unhandled>,
    { source }: HttpServerRequest.HttpServerRequest,
    requestId: string,
    notes: RequestNotes
  ) =>
    (source instanceof IncomingRequest && source.time !== undefined
      ? Effect.provideService(app, CurrentRequestTime, source.time)
      : app
    ).pipe(
      Effect.provideService(RequestId, requestId),
      Effect.provideService(CurrentRequestNotes, notes),
      Effect.matchCauseEffect({
        onSuccess: (response) => Effect.succeed(wrapErrors(response, requestId)),
        onFailure: (cause) => fromCause(cause, requestId, isUnavailable)
      }),
      Effect.annotateLogs("request_id", requestId)
    )
  const around = ({ random, metrics, log, trace, security }: Surroundings) => {
    const handle = Effect.fnUntraced(function* (app: Effect.Effect<Response, Types.unhandled>) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const path = pathOf(request.url)
      const { source } = request
      const served = (source instanceof IncomingRequest ? source.served : undefined) ?? findPath(path)
      const route = served?.template ?? UNMATCHED
      const responded = metrics.begin(route, request.method)
      const requestId = givenRequestId(request.headers["x-request-id"]) ?? (yield* random.uuidV7())
      const { method, headers } = request
      const notes = log.begin(route, method, requestId)
      const subject = subjectIn(path, served, method)
      if (subject !== undefined) notes.subject(subject)
      const cors = corsOf(
        origins,
        { method, headers, isPersonal: isPersonalPath(path) },
        served === undefined ? "" : allMethods(served)
      )
      const routed = { method, path, served, cors, requestId }
      const known = immediate(routed)
      const response = yield* Effect.onExit(
        known === undefined
          ? trace({ method, headers, route, requestId }, respond(app, request, requestId, notes), outcomeOf)
          : Effect.succeed(known),
        count(responded, notes)
      )
      const shown = yield* asErrorPage(response)
      return HttpServerResponse.setHeaders(shown, {
        "x-request-id": requestId,
        ...security,
        ...cachingOf(shown),
        ...cors.headers,
        ...allowOf(routed, response)
      })
    })
    // The types require a router middleware to pass errors on, though none is left here.
    return (
      app: Effect.Effect<Response, Types.unhandled>
    ): Effect.Effect<Response, Types.unhandled, HttpServerRequest.HttpServerRequest> => handle(app)
  }
  return Layer.unwrap(
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      const metrics = yield* RequestMetrics
      const log = yield* RequestLog
      const trace = yield* makeTrace
      const security = securityHeaders(yield* PublicUrl)
      return HttpRouter.middleware(around({ random, metrics, log, trace, security }), { global: true })
    })
  )
}
