import { Effect, Layer, Result, Schema } from "effect"
import type { ServerResponse } from "node:http"
import { UUID } from "../../domain/Uuid.ts"
import type { Principal } from "../../domain/customer/Customer.ts"
import { PublicUrl } from "../RouteTable.ts"
import { isJson, keyInHeader } from "../RequestGuards.ts"
import { type JsonBody, parseJson, readWholeBody } from "./FastBody.ts"
import {
  type Asked,
  type FastAnswer,
  type FastRequest,
  makeFastRequests,
  type Posted
} from "./FastRequests.ts"
import { messageRequestOf } from "../message/MessageRequests.ts"
import { MessageBody, toMessageSendResponse } from "../message/MessageSchemas.ts"
import { SendBody, VerifyBody } from "../verification/OtpSchemas.ts"
import { sendRequestOf, statusJson, toSendResponse, toVerifyResponse } from "../verification/SendRequests.ts"
import { FastPath, type TakeRequest } from "../server/Serving.ts"
import type { IncomingRequest } from "../server/IncomingRequest.ts"
import { RawErrors } from "../server/UnreadableRequests.ts"
import type { IsUnavailable } from "../server/RequestPipeline.ts"
import { ApiKeys } from "../../services/key/ApiKeys.ts"
import { Messages } from "../../services/message/Messages.ts"
import { Verifications } from "../../services/verification/Verifications.ts"

const SEND = "/v1/otp/send"
const VERIFY = "/v1/otp/verify"
const STATUS_PATH = new RegExp(`^/v1/otp/(${UUID})$`)

const STATUS = "/v1/otp/{verification_id}"

const decodeSend = Schema.decodeUnknownResult(SendBody)
const decodeVerify = Schema.decodeUnknownResult(VerifyBody)

/** The id in the path of a status request. */
const statusIdIn = (url: string): string | undefined => STATUS_PATH.exec(url)?.[1]

/** Checks requests for codes and turns them into work; leaves anything wrong or unusual to the router. */
const makeOtpWork = Effect.map(Verifications, (verifications) => {
  const send = (key: string, { body, text }: JsonBody): Asked | undefined => {
    const payload = decodeSend(body)
    if (Result.isFailure(payload)) return undefined
    const posted = { payload: payload.success, text }
    return {
      phone: payload.success.phone,
      work: (principal) =>
        Effect.map(
          Effect.flatMap(Effect.fromResult(sendRequestOf(principal, key, posted)), verifications.send),
          (sent): FastAnswer => ({
            body: toSendResponse(sent),
            isReplayed: sent.replayed,
            subjectId: sent.verificationId
          })
        )
    }
  }

  const verify = ({ body }: JsonBody): Asked | undefined => {
    const payload = decodeVerify(body)
    if (Result.isFailure(payload)) return undefined
    const { verification_id: id, code } = payload.success
    return {
      subjectId: id,
      work: ({ customerId, setUpVersion }) =>
        Effect.map(verifications.verify({ customerId, id, code, setUpVersion }), (answer): FastAnswer => ({
          body: toVerifyResponse(answer)
        }))
    }
  }

  const status = (id: string): Asked => ({
    subjectId: id,
    work: ({ customerId, setUpVersion }) =>
      Effect.map(verifications.status({ customerId, id, setUpVersion }), (view): FastAnswer => ({
        body: statusJson(view)
      }))
  })

  const posted = ({ url, headers }: IncomingRequest): Posted | undefined => {
    if (!isJson(headers["content-type"])) return undefined
    if (url === VERIFY) return { route: VERIFY, read: verify }
    const given = keyInHeader(String(headers["idempotency-key"] ?? ""))
    if (url !== SEND || Result.isFailure(given) || given.success === null) return undefined
    const key = given.success
    return { route: SEND, read: (body) => send(key, body) }
  }

  return { posted, status }
})

const SEND_MESSAGE = "/v1/messages/send"

const decode = Schema.decodeUnknownResult(MessageBody)

/** Checks requests for messages and turns them into work; leaves anything wrong or unusual to the router. */
const makeMessageWork = Effect.map(Messages, (messages) => {
  const send = (key: string | null, { body, text }: JsonBody): Asked | undefined => {
    const payload = decode(body)
    if (Result.isFailure(payload)) return undefined
    const posted = { payload: payload.success, text }
    return {
      phone: payload.success.to,
      work: (principal) =>
        Effect.map(
          Effect.flatMap(Effect.fromResult(messageRequestOf(principal, key, posted)), messages.send),
          (sent): FastAnswer => ({
            status: 201,
            body: toMessageSendResponse(sent),
            isReplayed: sent.replayed,
            subjectId: sent.messageId
          })
        )
    }
  }

  return {
    posted: ({ url, headers }: IncomingRequest): Posted | undefined => {
      if (url !== SEND_MESSAGE || !isJson(headers["content-type"])) return undefined
      const key = keyInHeader(String(headers["idempotency-key"] ?? ""))
      return Result.isFailure(key)
        ? undefined
        : { route: SEND_MESSAGE, read: (body) => send(key.success, body) }
    }
  }
})

interface FastPathOptions {
  readonly isUnavailable: IsUnavailable
  readonly maxBodyBytes: number
}

/** Larger bodies are rare, and take the normal path. */
const MAX_FAST_BYTES = 16_384

const make = Effect.fnUntraced(function* ({ isUnavailable, maxBodyBytes }: FastPathOptions) {
  const maxBytes = Math.min(MAX_FAST_BYTES, maxBodyBytes)
  const apiKeys = yield* ApiKeys
  const otp = yield* makeOtpWork
  const messages = yield* makeMessageWork
  const errors = new RawErrors(yield* PublicUrl)
  const run = yield* makeFastRequests(isUnavailable)

  /** Undefined also if the key is not cached. */
  const principalOf = (secret: string): Principal | undefined => {
    const principal = apiKeys.recall(secret)
    return principal?.mode === "live" && principal.allowedIps === null ? principal : undefined
  }

  const post = (
    key: Pick<FastRequest, "principal" | "secret">,
    request: IncomingRequest,
    response: ServerResponse,
    decline: () => void
  ): boolean => {
    const posted = otp.posted(request) ?? messages.posted(request)
    const length = Number(request.headers["content-length"])
    if (posted === undefined || !(length > 0 && length <= maxBytes)) return false
    const take = (bytes: Buffer) => {
      const asked = posted.read(parseJson(bytes))
      if (asked !== undefined) run({ ...key, route: posted.route, ...asked }, request, response)
      return asked !== undefined
    }
    const refuse = () => errors.answer("service_unavailable", request, response)
    readWholeBody(request, { length, take, decline, refuse })
    return true
  }

  const takeRequest: TakeRequest = (request, response, decline) => {
    const secret = request.headers["x-api-key"]
    const { method, url = "" } = request
    if (typeof secret !== "string") return false
    if (method === "POST" && (url.startsWith("/v1/otp/") || url.startsWith("/v1/messages/"))) {
      const principal = principalOf(secret)
      return principal !== undefined && post({ principal, secret }, request, response, decline)
    }
    const id = method === "GET" ? statusIdIn(url) : undefined
    const principal = id === undefined ? undefined : principalOf(secret)
    if (id === undefined || principal === undefined) return false
    run({ principal, secret, route: STATUS, ...otp.status(id) }, request, response)
    return true
  }
  return takeRequest
})

/**
 * Answers the most frequent requests (codes sent, verified and looked up, and messages sent, with live keys) without
 * router, middleware and documents. Takes only requests with nothing wrong or unusual about them, and leaves all
 * others untouched to the router, which alone knows how to answer those.
 */
export const hotRequests = (options: FastPathOptions) => Layer.effect(FastPath, make(options))
