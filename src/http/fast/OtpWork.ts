import { Effect, Result, Schema } from "effect"
import { UUID } from "../../domain/Uuid.ts"
import { Verifications } from "../../services/verification/Verifications.ts"
import { statusJson, toSendResponse } from "../otp/OtpAnswers.ts"
import { SendBody, VerifyBody } from "../otp/OtpSchemas.ts"
import { sendRequestOf } from "../otp/SendRequests.ts"
import { isJson, keyInHeader } from "../RequestGuards.ts"
import type { IncomingRequest } from "../server/IncomingRequest.ts"
import type { JsonBody } from "./FastBody.ts"
import type { Asked, FastAnswer, Posted } from "./FastRequests.ts"

const SEND = "/v1/otp/send"
const VERIFY = "/v1/otp/verify"
const STATUS_PATH = new RegExp(`^/v1/otp/(${UUID})$`)

export const STATUS = "/v1/otp/{verification_id}"

const decodeSend = Schema.decodeUnknownResult(SendBody)
const decodeVerify = Schema.decodeUnknownResult(VerifyBody)

/** The id in the path of a status request. */
export const statusIdIn = (url: string): string | undefined => STATUS_PATH.exec(url)?.[1]

/** Checks requests for codes and turns them into work; leaves anything wrong or unusual to the router. */
export const makeOtpWork = Effect.map(Verifications, (verifications) => {
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
          body: answer
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
