import { type Cause, Context, Effect, Exit, identity, Option, Redacted, References } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { ServerResponse } from "node:http"
import { TooManyRequestsApiKey } from "../../domain/Errors.ts"
import type { Principal } from "../../domain/customer/Customer.ts"
import { securityHeaders } from "../Cors.ts"
import { PublicUrl } from "../RouteTable.ts"
import { allowanceHeaders, allowanceOf, type KeyUse, type KeyWork, makeKeyAdmission } from "../ServiceKeys.ts"
import { answerError, type CodedError, errorCodeOf, RequestId } from "../errors/Envelope.ts"
import type { JsonBody } from "./FastBody.ts"
import { CLIENT_GONE, makeTrace, RequestMetrics, type RequestOutcome } from "../server/RequestMetrics.ts"
import { clientAddress, TrustedProxies } from "../server/ClientAddress.ts"
import { type IncomingRequest, requestIdFor } from "../server/IncomingRequest.ts"
import { fromCause, type IsUnavailable } from "../server/RequestPipeline.ts"
import { CurrentRequestTime, Workers } from "../../services/concurrency/Workers.ts"
import { RequestLog, type RequestNotes } from "../../services/activity/RequestLog.ts"
import type { Allowance } from "../../services/key/RequestWindows.ts"

/** Alternating names and values, which Node writes as they are. */
type HeaderList = Array<string>

const OWN_HEADERS = new Set(["content-type", "content-length"])

/** The headers that every response has. */
const makeHeaders = (publicUrl: string | null): ((requestId: string) => HeaderList) => {
  const security = Object.entries(securityHeaders(publicUrl)).flat()
  return (requestId) => ["x-request-id", requestId, ...security]
}

const addRateLimitHeaders = (headers: HeaderList, allowance: Allowance | null) => {
  if (allowance !== null) headers.push(...Object.entries(allowanceHeaders(allowance)).flat())
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

export interface FastAnswer {
  /** Absent: 200. */
  readonly status?: 200 | 201
  /** A string is JSON already. */
  readonly body: object | string
  readonly isReplayed?: boolean
  /** The verification or message that the request made. */
  readonly subjectId?: string
}

type FastWork = KeyWork<FastAnswer, CodedError, never>

export interface FastRequest {
  readonly principal: Principal
  readonly secret: string
  /** The route's name in the table of routes. */
  readonly route: string
  readonly work: FastWork
  /** What the request itself says for the request log. */
  readonly phone?: string | undefined
  readonly subjectId?: string | undefined
}

/** What a request asks for. */
export type Asked = Pick<FastRequest, "work" | "phone" | "subjectId">

/** A POST whose body is still to be read. */
export interface Posted {
  readonly route: string
  /** Undefined if the body is not what the route takes. */
  readonly read: (body: JsonBody) => Asked | undefined
}

const answered = (status: number): Effect.Effect<RequestOutcome> => Effect.succeed({ status })
const ANSWERED = { 200: answered(200), 201: answered(201) }

const codedErrorIn = ({ reasons }: Cause.Cause<CodedError>): CodedError | undefined => {
  const [reason] = reasons
  return reason?._tag === "Fail" ? reason.error : undefined
}

const makeKeyUses = Effect.map(
  TrustedProxies,
  (trustedProxies) =>
    (secret: string, { headers, socket }: IncomingRequest, notes: RequestNotes): KeyUse => ({
      secret: Redacted.make(secret),
      recognized: notes.key,
      address: () => {
        const forwarded = { "x-forwarded-for": headers["x-forwarded-for"]?.toString() }
        const remoteAddress = Option.fromUndefinedOr(socket.remoteAddress)
        return clientAddress({ headers: forwarded, remoteAddress }, trustedProxies)
      }
    })
)

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

/** Does the work of requests with known keys, and answers them. */
export const makeFastRequests = Effect.fnUntraced(function* (isUnavailable: IsUnavailable) {
  const keys = yield* makeKeyAdmission("live")
  const workers = yield* Workers
  const metrics = yield* RequestMetrics
  const log = yield* RequestLog
  const trace = yield* makeTrace
  const contextOf = yield* makeContexts
  const useOf = yield* makeKeyUses
  const headersFor = makeHeaders(yield* PublicUrl)

  const succeed = (
    response: ServerResponse,
    headers: HeaderList,
    { status = 200, body, isReplayed }: FastAnswer
  ) => {
    if (isReplayed) headers.push("idempotency-replayed", "true")
    writeJson(response, status, headers, typeof body === "string" ? body : JSON.stringify(body))
    return ANSWERED[status]
  }

  const fail = (
    response: ServerResponse,
    headers: HeaderList,
    cause: Cause.Cause<CodedError>,
    requestId: string
  ): Effect.Effect<RequestOutcome> => {
    const error = codedErrorIn(cause)
    if (error instanceof TooManyRequestsApiKey) addRateLimitHeaders(headers, allowanceOf(error))
    const failed = error === undefined ? fromCause(cause, requestId, isUnavailable) : answerError(error)
    return Effect.map(failed, (envelope) => {
      writeEnvelope(response, envelope, headers)
      return { status: envelope.status, code: errorCodeOf(envelope) }
    })
  }

  return (
    { principal: known, secret, route, work, phone, subjectId }: FastRequest,
    request: IncomingRequest,
    response: ServerResponse
  ): void => {
    const { method = "", headers: given } = request
    const answered = metrics.begin(route, method)
    const requestId = requestIdFor(given["x-request-id"])
    const headers = headersFor(requestId)
    const notes = log.begin(route, method, requestId)
    if (phone !== undefined) notes.phone(phone)
    if (subjectId !== undefined) notes.subject(subjectId)
    const use = useOf(secret, request, notes)
    const performed = Effect.flatMap(keys.admitKnown(use, known), ({ principal, allowance }) => {
      addRateLimitHeaders(headers, allowance)
      return keys.perform(use, principal, work)
    })
    const program = Effect.matchCauseEffect(performed, {
      onSuccess: (answer) => {
        if (answer.subjectId !== undefined) notes.subject(answer.subjectId)
        return succeed(response, headers, answer)
      },
      onFailure: (cause) => fail(response, headers, cause, requestId)
    })
    const traced = trace({ method, headers: given, route, requestId }, program, identity)
    workers.fork(traced, contextOf(requestId, request)).addObserver((exit) => {
      const { status, code } = Exit.isSuccess(exit) ? exit.value : { status: CLIENT_GONE, code: undefined }
      answered(status, code)
      notes.answered(status, code)
    })
  }
})
