import { type Cause, Context, Effect, Exit, identity, Layer, Option, Redacted, References } from "effect"
import type { HttpServerResponse } from "effect/http"
import { isUtf8 } from "node:buffer"
import type { ServerResponse } from "node:http"
import { TooManyRequestsApiKey } from "../domain/Errors.ts"
import type { Principal } from "../domain/customer/Customer.ts"
import { MAX_HOT_BYTES } from "./BodyLimits.ts"
import type { SentBody } from "../domain/LoggedRequest.ts"
import { securityHeaders } from "./Cors.ts"
import { isJson } from "./RequestGuards.ts"
import { PublicUrl, templateOf } from "./RouteTable.ts"
import { allowanceHeaders, allowanceOf, type KeyUse, type KeyWork, makeKeyAdmission } from "./ServiceKeys.ts"
import { respondWithError, type CodedError, errorCodeOf, RequestId } from "./errors/Envelope.ts"
import { clientAddress, TrustedProxies } from "./server/ClientAddress.ts"
import { type IncomingRequest, requestIdFor } from "./server/IncomingRequest.ts"
import { CLIENT_GONE, makeTrace, RequestMetrics, type RequestOutcome } from "./server/RequestMetrics.ts"
import { fromCause, type IsUnavailable } from "./server/RequestPipeline.ts"
import { FastPath, type TakeRequest } from "./server/Serving.ts"
import { RawErrors } from "./server/UnreadableRequests.ts"
import { RequestLog, type RequestNotes } from "../services/activity/RequestLog.ts"
import { CurrentRequestTime, Workers } from "../services/concurrency/Workers.ts"
import { ApiKeys } from "../services/key/Keys.ts"
import type { Allowance } from "../services/key/RequestWindows.ts"

/** A body, decoded and as it came. */
export interface JsonBody {
  /** Undefined if the bytes are not UTF-8, or the text is no JSON. */
  readonly body: unknown
  readonly text: string
}

const parseJson = (bytes: Buffer): JsonBody => {
  const text = bytes.toString("utf8")
  // What is not UTF-8 is decoded as this; the search costs nothing in a text of ASCII.
  if (text.includes("\uFFFD") && !isUtf8(bytes)) return { body: undefined, text }
  try {
    return { body: JSON.parse(text), text }
  } catch {
    return { body: undefined, text }
  }
}

/** Alternating names and values, which Node writes as they are. */
type HeaderList = Array<string>

const OWN_HEADERS = new Set(["content-type", "content-length"])

const addRateLimitHeaders = (headers: HeaderList, allowance: Allowance | null) => {
  if (allowance !== null) headers.push(...Object.entries(allowanceHeaders(allowance)).flat())
}

/** The headers that every response has. */
const makeHeaders = (publicUrl: string | null) => {
  const security = Object.entries(securityHeaders(publicUrl)).flat()
  return (requestId: string, allowance: Allowance | null): HeaderList => {
    const headers = ["x-request-id", requestId, ...security]
    addRateLimitHeaders(headers, allowance)
    return headers
  }
}

const writeJson = (
  response: ServerResponse,
  status: number,
  headers: HeaderList,
  body: string | Uint8Array
) => {
  headers.push("content-type", "application/json", "content-length", String(Buffer.byteLength(body)))
  response.writeHead(status, headers)
  response.end(body)
}

const writeEnvelope = (
  response: ServerResponse,
  { status, headers: given, body }: HttpServerResponse.HttpServerResponse,
  headers: HeaderList
) => {
  for (const [name, value] of Object.entries(given)) if (!OWN_HEADERS.has(name)) headers.push(name, value)
  writeJson(response, status, headers, body._tag === "Uint8Array" ? body.body : "")
}

export interface FastResponse {
  /** Absent: 200. */
  readonly status?: 200 | 201
  /** A string is JSON already. */
  readonly body: object | string
  readonly isReplayed?: boolean
  /** The verification or message that the request made. */
  readonly subjectId?: string
}

type FastWork = KeyWork<FastResponse, CodedError, never>

interface FastRequest {
  readonly principal: Principal
  readonly secret: string
  /** The route's name in the table of routes. */
  readonly route: string
  readonly work: FastWork
  /** What the request itself says for the request log. */
  readonly phone?: string | undefined
  /** The body of a send. */
  readonly sent?: SentBody | undefined
  readonly subjectId?: string | undefined
}

/** What a request asks for. */
export type HotWork = Pick<FastRequest, "work" | "phone" | "sent" | "subjectId">

/** Reads a body; undefined if it is not what the endpoint takes. */
type ReadBody = (body: JsonBody) => HotWork | undefined

/** An endpoint whose requests need no router. */
export interface HotEndpoint {
  /** As the API declares it. */
  readonly endpoint: { readonly method: string; readonly path: string }
  /** What a request asks for, or how its body says that; undefined leaves it to the router. */
  readonly read: (request: IncomingRequest) => HotWork | ReadBody | undefined
}

const outcomeOf = (status: number): Effect.Effect<RequestOutcome> => Effect.succeed({ status })
const OUTCOMES = { 200: outcomeOf(200), 201: outcomeOf(201) }

const codedErrorIn = ({ reasons }: Cause.Cause<CodedError>): CodedError | undefined => {
  const [reason] = reasons
  return reason?._tag === "Fail" ? reason.error : undefined
}

/** The key of a request, which is hardly ever looked at again: what that takes is made only then. */
class RecalledKey implements KeyUse {
  readonly notes: RequestNotes
  readonly #secret: string
  readonly #request: IncomingRequest
  readonly #trustedProxies: (typeof TrustedProxies)["Service"]

  constructor(
    secret: string,
    request: IncomingRequest,
    notes: RequestNotes,
    trustedProxies: (typeof TrustedProxies)["Service"]
  ) {
    this.#secret = secret
    this.#request = request
    this.notes = notes
    this.#trustedProxies = trustedProxies
  }

  get secret() {
    return Redacted.make(this.#secret)
  }

  address() {
    const { headers, socket } = this.#request
    const forwarded = { "x-forwarded-for": headers["x-forwarded-for"]?.toString() }
    const remoteAddress = Option.fromUndefinedOr(socket.remoteAddress)
    return clientAddress({ headers: forwarded, remoteAddress }, this.#trustedProxies)
  }
}

/** The context of a request's fiber: its id is in its log lines and its errors. */
const makeContexts = Effect.map(Effect.context<never>(), (context) => {
  const annotations = Context.get(context, References.CurrentLogAnnotations)
  return (requestId: string, { time }: IncomingRequest): Context.Context<never> => {
    const identified = Context.add(
      Context.add(context, RequestId, requestId),
      References.CurrentLogAnnotations,
      { ...annotations, request_id: requestId }
    )
    return time === undefined ? identified : Context.add(identified, CurrentRequestTime, time)
  }
})

/** Does the work of requests with known keys, and responds to them. */
const makeFastRequests = Effect.fnUntraced(function* (isUnavailable: IsUnavailable) {
  const keys = yield* makeKeyAdmission("live")
  const workers = yield* Workers
  const metrics = yield* RequestMetrics
  const log = yield* RequestLog
  const trace = yield* makeTrace
  const contextOf = yield* makeContexts
  const trustedProxies = yield* TrustedProxies
  const headersFor = makeHeaders(yield* PublicUrl)

  const succeed = (
    response: ServerResponse,
    headers: HeaderList,
    { status = 200, body, isReplayed }: FastResponse
  ) => {
    if (isReplayed) headers.push("idempotency-replayed", "true")
    writeJson(response, status, headers, typeof body === "string" ? body : JSON.stringify(body))
    return OUTCOMES[status]
  }

  const fail = (
    response: ServerResponse,
    headers: HeaderList,
    cause: Cause.Cause<CodedError>,
    requestId: string
  ): Effect.Effect<RequestOutcome> => {
    const error = codedErrorIn(cause)
    if (error instanceof TooManyRequestsApiKey) addRateLimitHeaders(headers, allowanceOf(error))
    const failed = error === undefined ? fromCause(cause, requestId, isUnavailable) : respondWithError(error)
    return Effect.map(failed, (envelope) => {
      writeEnvelope(response, envelope, headers)
      return { status: envelope.status, code: errorCodeOf(envelope) }
    })
  }

  return (
    { principal: known, secret, route, work, phone, sent, subjectId }: FastRequest,
    request: IncomingRequest,
    response: ServerResponse
  ): void => {
    const { method = "", headers: given } = request
    const responded = metrics.begin(route, method)
    const requestId = requestIdFor(given["x-request-id"])
    let allowance: Allowance | null = null
    const notes = log.begin(route, method, requestId)
    if (phone !== undefined) notes.phone(phone)
    if (sent !== undefined) notes.body(sent)
    if (subjectId !== undefined) notes.subject(subjectId)
    const use = new RecalledKey(secret, request, notes, trustedProxies)
    // A fiber keeps an effect until that has ended. Within `suspend` it keeps only the function that makes it.
    const performed = Effect.suspend(() =>
      Effect.flatMapEager(keys.admitKnown(use, known), (admitted) => {
        allowance = admitted.allowance
        return keys.perform(use, admitted.principal, work)
      })
    )
    const program = Effect.matchCauseEffect(performed, {
      onSuccess: (result) => {
        if (result.subjectId !== undefined) notes.subject(result.subjectId)
        return succeed(response, headersFor(requestId, allowance), result)
      },
      onFailure: (cause) => fail(response, headersFor(requestId, allowance), cause, requestId)
    })
    const traced = trace({ method, headers: given, route, requestId }, program, identity)
    workers.fork(traced, contextOf(requestId, request)).addObserver((exit) => {
      const { status, code } = Exit.isSuccess(exit) ? exit.value : { status: CLIENT_GONE, code: undefined }
      responded(status, code)
      notes.responded(status, code)
    })
  }
})

interface HotPathOptions {
  readonly isUnavailable: IsUnavailable
  readonly maxBodyBytes: number
}

const make = Effect.fnUntraced(function* (
  hot: ReadonlyArray<HotEndpoint>,
  { isUnavailable, maxBodyBytes }: HotPathOptions
) {
  const maxBytes = Math.min(MAX_HOT_BYTES, maxBodyBytes)
  const apiKeys = yield* ApiKeys
  const errors = new RawErrors(yield* PublicUrl)
  const run = yield* makeFastRequests(isUnavailable)
  const endpoints = new Map(hot.map((each) => [templateOf(each.endpoint.path), each]))

  /** Undefined also if the key is not cached. */
  const principalOf = (secret: string): Principal | undefined => {
    const principal = apiKeys.recall(secret)
    return principal?.mode === "live" && principal.allowedIps === null ? principal : undefined
  }

  const post = (
    use: Pick<FastRequest, "principal" | "secret" | "route">,
    read: ReadBody,
    request: IncomingRequest,
    response: ServerResponse,
    decline: () => void
  ): boolean => {
    const length = Number(request.headers["content-length"])
    if (!isJson(request.headers["content-type"]) || !(length > 0 && length <= maxBytes)) return false
    const take = (bytes: Buffer) => {
      const hotWork = read(parseJson(bytes))
      if (hotWork !== undefined) run({ ...use, ...hotWork }, request, response)
      return hotWork !== undefined
    }
    const refuse = () => errors.respond("service_unavailable", request, response)
    request.readWholeBody({ length, take, decline, refuse })
    return true
  }

  const takeRequest: TakeRequest = (request, response, decline) => {
    const route = request.served?.template
    const secret = request.headers["x-api-key"]
    if (route === undefined || typeof secret !== "string") return false
    const found = endpoints.get(route)
    if (found === undefined || found.endpoint.method !== request.method) return false
    const principal = principalOf(secret)
    const hotWork = principal && found.read(request)
    if (principal === undefined || hotWork === undefined) return false
    const use = { principal, secret, route }
    if (typeof hotWork === "function") return post(use, hotWork, request, response, decline)
    run({ ...use, ...hotWork }, request, response)
    return true
  }
  return takeRequest
})

/**
 * Responds to the most frequent requests (codes sent, verified and looked up, and messages sent, with live keys) without
 * router, middleware and documents. Takes only requests with nothing wrong or unusual about them, and leaves all
 * others untouched to the router, which alone knows how to answer those.
 */
export const hotPath = <R>(
  endpoints: Effect.Effect<ReadonlyArray<HotEndpoint>, never, R>,
  options: HotPathOptions
) =>
  Layer.effect(
    FastPath,
    Effect.flatMap(endpoints, (hot) => make(hot, options))
  )
