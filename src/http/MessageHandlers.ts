import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import type { MessageView } from "../domain/Message.ts"
import type { TemplateUse } from "../services/MessageSends.ts"
import { Messages } from "../services/Messages.ts"
import { Api } from "./Api.ts"
import { orEnvelope } from "./Envelope.ts"
import { type MessageBody, toMessageSendResponse, toMessageStatus, toMessageSteps } from "./MessageSchemas.ts"
import { readMetadata } from "./Metadata.ts"
import { CurrentIdempotencyKey } from "./RequestGuards.ts"
import { CurrentPrincipal } from "./ServiceKeys.ts"

const templateOf = ({ template }: typeof MessageBody.Type): TemplateUse | undefined => {
  if (template == null) return undefined
  const given = template.parameters ?? {}
  const parameters = new Map(Object.entries(given).map(([name, value]) => [name, String(value)]))
  return { id: template.id, parameters, given }
}

const metadataOf = Effect.fnUntraced(function* ({ metadata }: typeof MessageBody.Type) {
  if (metadata == null) return undefined
  const request = yield* HttpServerRequest.HttpServerRequest
  return readMetadata(yield* Effect.orDie(request.text), metadata)
})

/** The metadata stands in the answer as it came in the request. */
const statusResponse = (view: MessageView): HttpServerResponse.HttpServerResponse => {
  const rest = JSON.stringify(toMessageStatus(view))
  return HttpServerResponse.text(`${rest.slice(0, -1)},"metadata":${view.metadata}}`, {
    contentType: "application/json"
  })
}

export const MessageHandlers = HttpApiBuilder.group(
  Api,
  "messages",
  Effect.fnUntraced(function* (handlers) {
    const messages = yield* Messages
    return handlers.handleAll({
      send: Effect.fnUntraced(function* ({ payload }) {
        const { customerId } = yield* CurrentPrincipal
        const key = yield* CurrentIdempotencyKey
        const metadata = yield* metadataOf(payload)
        const request = {
          to: payload.to,
          message: payload.message ?? undefined,
          channels: toMessageSteps(payload.channels),
          strategy: payload.strategy ?? undefined,
          sendAt: payload.send_at ?? undefined,
          delay: payload.delay ?? undefined
        }
        const template = templateOf(payload)
        const body = {
          ...request,
          metadata: metadata?.value,
          template: template === undefined ? undefined : { id: template.id, parameters: template.given }
        }
        const answer = messages.send({
          ...request,
          customerId,
          template,
          metadata: metadata?.text,
          idempotency: key === null ? undefined : { key, body }
        })
        return yield* answer.pipe(
          Effect.map((sent) =>
            HttpApiSchema.withHeaders({
              body: toMessageSendResponse(sent),
              headers: sent.replayed ? { "idempotency-replayed": "true" as const } : {}
            })
          ),
          orEnvelope
        )
      }),
      status: Effect.fnUntraced(function* ({ params }) {
        const { customerId } = yield* CurrentPrincipal
        return yield* orEnvelope(
          Effect.map(messages.status({ customerId, id: params.message_id }), statusResponse)
        )
      })
    })
  })
)
