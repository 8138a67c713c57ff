import { Effect, Layer } from "effect"
import type { ServerResponse } from "node:http"
import type { Principal } from "../../domain/people/Customer.ts"
import { ApiKeys } from "../../services/customer/ApiKeys.ts"
import { PublicUrl } from "../PublicUrl.ts"
import { FastPath, type TakeRequest } from "../server/FastPath.ts"
import type { IncomingRequest } from "../server/IncomingRequest.ts"
import { RawErrors } from "../server/RawErrors.ts"
import type { IsUnavailable } from "../server/RequestPipeline.ts"
import { parseJson, readWholeBody } from "./FastBody.ts"
import { type FastRequest, makeFastRequests } from "./FastRequests.ts"
import { makeMessageWork } from "./MessageWork.ts"
import { makeOtpWork, STATUS, statusIdIn } from "./OtpWork.ts"

export interface FastPathOptions {
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
