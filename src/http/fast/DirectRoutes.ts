import {
  type Cause,
  Context,
  Effect,
  Exit,
  identity,
  Option,
  Redacted,
  References,
  Result,
  Schema
} from "effect"
import type { HttpServerResponse } from "effect/http"
import type { ServerResponse } from "node:http"
import type { Principal } from "../../domain/people/Customer.ts"
import { TooManyRequestsApiKey } from "../../domain/Errors.ts"
import { ApiKeys } from "../../services/customer/ApiKeys.ts"
import type { Allowance } from "../../services/customer/RequestWindows.ts"
import { Verifications } from "../../services/verification/Verifications.ts"
import { Workers } from "../../services/concurrency/Workers.ts"
import { clientAddress, TrustedProxies } from "../server/ClientAddress.ts"
import { answerError, type CodedError, errorCodeOf, RequestId } from "../Envelope.ts"
import { SendBody, sendRequestOf, toSendResponse, toStatus, VerifyBody } from "../otp/OtpSchemas.ts"
import { fromCause, type IsUnavailable } from "../server/RequestPipeline.ts"
import { type KeyUse, type KeyWork, makeKeyAdmission } from "./KeyAdmission.ts"
import { answerRaw } from "../server/RawErrors.ts"
import type { IncomingRequest } from "../server/IncomingRequest.ts"
import { CLIENT_GONE, RequestMetrics } from "../metrics/RequestMetrics.ts"
import { makeTrace, type RequestOutcome } from "../metrics/RequestSpans.ts"
import { isJson, keyInHeader } from "../RequestGuards.ts"
import { requestIdFor } from "../server/RequestIds.ts"
import { NO_SNIFFING } from "../SecurityHeaders.ts"
import { allowanceHeaders, allowanceOf } from "../ServiceKeys.ts"

/** Whether it has taken the request; where not, nothing has been done or read of it. */
export type DirectHandler = (
  request: IncomingRequest,
  response: ServerResponse,
  decline: () => void
) => boolean

interface Answer {
  readonly body: object
  readonly isReplayed?: boolean
}

interface Admitted {
  readonly principal: Principal
  readonly secret: string
  /** As the table of routes has it. */
  readonly route: string
}

type Work = KeyWork<Answer, CodedError, never>

/** Larger bodies are rare, and take the long way. */
const MAX_DIRECT_BYTES = 16_384

const SEND = "/v1/otp/send"
const VERIFY = "/v1/otp/verify"
const STATUS = "/v1/otp/{verification_id}"
const STATUS_PATH = /^\/v1\/otp\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

const ANSWERED: Effect.Effect<RequestOutcome> = Effect.succeed({ status: 200 })

const decodeSend = Schema.decodeUnknownResult(SendBody)
const decodeVerify = Schema.decodeUnknownResult(VerifyBody)

const parseJson = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString("utf8"))
  } catch {
    return undefined
  }
}

/** Names and values by turns: Node writes them as they are. */
type HeaderList = Array<string>

const write = (response: ServerResponse, status: number, headers: HeaderList, body: string | Uint8Array) => {
  headers.push("content-type", "application/json", "content-length", String(Buffer.byteLength(body)))
  response.writeHead(status, headers)
  response.end(body)
}

const NO_SNIFFING_LIST: ReadonlyArray<string> = Object.entries(NO_SNIFFING).flat()

const OWN_HEADERS = new Set(["content-type", "content-length"])

const writeEnvelope = (
  response: ServerResponse,
  { status, headers: given, body }: HttpServerResponse.HttpServerResponse,
  headers: HeaderList
) => {
  for (const [name, value] of Object.entries(given)) if (!OWN_HEADERS.has(name)) headers.push(name, value)
  write(response, status, headers, body._tag === "Uint8Array" ? body.body : "")
}

const addRateLimitHeaders = (headers: HeaderList, allowance: Allowance | null) => {
  if (allowance !== null) headers.push(...Object.entries(allowanceHeaders(allowance)).flat())
}

const codedErrorIn = ({ reasons }: Cause.Cause<CodedError>): CodedError | undefined => {
  const [reason] = reasons
  return reason?._tag === "Fail" ? reason.error : undefined
}

/**
 * Answers the requests that there are most of (codes sent, verified and looked up with live keys) without what serves all
 * others: router, middleware, documents. Only requests with nothing wrong or unusual about them: any other is declined
 * before anything was done, and takes the long way, which alone knows what to answer it.
 */
export const directRoutes = Effect.fnUntraced(function* (isUnavailable: IsUnavailable, maxBodyBytes: number) {
  const maxBytes = Math.min(MAX_DIRECT_BYTES, maxBodyBytes)
  const context: Context.Context<never> = yield* Effect.context<never>()
  const annotations = Context.get(context, References.CurrentLogAnnotations)
  const apiKeys = yield* ApiKeys
  const keys = yield* makeKeyAdmission("live")
  const trustedProxies = yield* TrustedProxies
  const verifications = yield* Verifications
  const workers = yield* Workers
  const metrics = yield* RequestMetrics
  const trace = yield* makeTrace

  /** Undefined also while it is not known yet. */
  const principalOf = (secret: string): Principal | undefined => {
    const principal = apiKeys.recall(secret)
    return principal?.mode === "live" && principal.allowedIps === null ? principal : undefined
  }

  const contextOf = (requestId: string) =>
    Context.add(Context.add(context, RequestId, requestId), References.CurrentLogAnnotations, {
      ...annotations,
      request_id: requestId
    })

  const useOf = (secret: string, { headers, socket }: IncomingRequest): KeyUse => ({
    secret: Redacted.make(secret),
    address: () => {
      const forwarded = { "x-forwarded-for": headers["x-forwarded-for"]?.toString() }
      const remoteAddress = Option.fromUndefinedOr(socket.remoteAddress)
      return clientAddress({ headers: forwarded, remoteAddress }, trustedProxies)
    }
  })

  const run = (
    { principal: known, secret, route }: Admitted,
    request: IncomingRequest,
    response: ServerResponse,
    work: Work
  ) => {
    const { method = "", headers: given } = request
    const answered = metrics.begin(route, method)
    const requestId = requestIdFor(given["x-request-id"])
    const headers: HeaderList = ["x-request-id", requestId, ...NO_SNIFFING_LIST]
    const use = useOf(secret, request)
    const program: Effect.Effect<RequestOutcome> = Effect.matchCauseEffect(
      Effect.flatMap(keys.admitKnown(use, known), ({ principal, allowance }) => {
        addRateLimitHeaders(headers, allowance)
        return keys.perform(use, principal, work)
      }),
      {
        onSuccess: (answer) => {
          if (answer.isReplayed) headers.push("idempotency-replayed", "true")
          write(response, 200, headers, JSON.stringify(answer.body))
          return ANSWERED
        },
        onFailure: (cause) => {
          const error = codedErrorIn(cause)
          if (error instanceof TooManyRequestsApiKey) addRateLimitHeaders(headers, allowanceOf(error))
          const failed = error === undefined ? fromCause(cause, requestId, isUnavailable) : answerError(error)
          return Effect.map(failed, (envelope) => {
            writeEnvelope(response, envelope, headers)
            return { status: envelope.status, code: errorCodeOf(envelope) }
          })
        }
      }
    )
    workers
      .fork(trace({ method, headers: given, route, requestId }, program, identity), contextOf(requestId))
      .addObserver((exit) =>
        Exit.isSuccess(exit) ? answered(exit.value.status, exit.value.code) : answered(CLIENT_GONE)
      )
  }

  const send = (key: string, body: unknown): Work | undefined => {
    const payload = decodeSend(body)
    if (Result.isFailure(payload)) return undefined
    return (principal) =>
      Effect.map(verifications.send(sendRequestOf(principal, key, payload.success)), (sent): Answer => ({
        body: toSendResponse(sent),
        isReplayed: sent.replayed
      }))
  }

  const verify = (body: unknown): Work | undefined => {
    const payload = decodeVerify(body)
    if (Result.isFailure(payload)) return undefined
    const { verification_id: id, code } = payload.success
    return ({ customerId, setUpVersion }) =>
      Effect.map(verifications.verify({ customerId, id, code, setUpVersion }), (answer): Answer => ({
        body: answer
      }))
  }

  const status =
    (id: string): Work =>
    ({ customerId, setUpVersion }) =>
      Effect.map(verifications.status({ customerId, id, setUpVersion }), (view): Answer => ({
        body: toStatus(view)
      }))

  /** What a body is to be made of it; undefined for a request that is declined before that is read. */
  const readerOf = ({ url, headers }: IncomingRequest) => {
    if (!isJson(headers["content-type"])) return undefined
    if (url === VERIFY) return verify
    const key = keyInHeader(String(headers["idempotency-key"] ?? ""))
    if (url !== SEND || Result.isFailure(key) || key.success === null) return undefined
    const given = key.success
    return (body: unknown) => send(given, body)
  }

  const post = (
    key: Pick<Admitted, "principal" | "secret">,
    request: IncomingRequest,
    response: ServerResponse,
    decline: () => void
  ): boolean => {
    const reader = readerOf(request)
    const length = Number(request.headers["content-length"])
    if (reader === undefined || !(length > 0 && length <= maxBytes)) return false
    let isTaken = false
    const onReadable = () => {
      // Only its end is left.
      if (isTaken) return void request.read()
      if (request.readableLength < length) return
      if (!request.endBodyWait()) {
        isTaken = true
        return answerRaw("service_unavailable", request, response)
      }
      const bytes = request.read()
      const work = reader(parseJson(bytes))
      if (work === undefined) {
        request.off("readable", onReadable).unshift(bytes)
        return decline()
      }
      isTaken = true
      run({ ...key, route: request.url === SEND ? SEND : VERIFY }, request, response, work)
    }
    request.on("readable", onReadable)
    // The long way knows what to answer it.
    request.waitForBody(() => {
      request.off("readable", onReadable)
      decline()
    })
    return true
  }

  const handle: DirectHandler = (request, response, decline) => {
    const secret = request.headers["x-api-key"]
    const { method, url = "" } = request
    if (typeof secret !== "string") return false
    if (method === "POST" && url.startsWith("/v1/otp/")) {
      const principal = principalOf(secret)
      return principal !== undefined && post({ principal, secret }, request, response, decline)
    }
    const id = method === "GET" ? STATUS_PATH.exec(url)?.[1] : undefined
    const principal = id === undefined ? undefined : principalOf(secret)
    if (id === undefined || principal === undefined) return false
    run({ principal, secret, route: STATUS }, request, response, status(id))
    return true
  }
  return handle
})
