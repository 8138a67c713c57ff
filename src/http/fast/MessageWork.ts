import { Effect, Result, Schema } from "effect"
import { Messages } from "../../services/message/Messages.ts"
import { messageRequestOf } from "../message/MessageRequests.ts"
import { MessageBody, toMessageSendResponse } from "../message/MessageSchemas.ts"
import { isJson, keyInHeader } from "../RequestGuards.ts"
import type { IncomingRequest } from "../server/IncomingRequest.ts"
import type { JsonBody } from "./FastBody.ts"
import type { Asked, FastAnswer, Posted } from "./FastRequests.ts"

const SEND_MESSAGE = "/v1/messages/send"

const decode = Schema.decodeUnknownResult(MessageBody)

/** Checks requests for messages and turns them into work; leaves anything wrong or unusual to the router. */
export const makeMessageWork = Effect.map(Messages, (messages) => {
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
      return Result.isFailure(key) ? undefined : { route: SEND_MESSAGE, read: (body) => send(key.success, body) }
    }
  }
})
