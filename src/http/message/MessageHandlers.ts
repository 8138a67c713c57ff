import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { type MessageView, viewMessage } from "../../domain/message/Message.ts"
import { normalPhone } from "../../domain/Phone.ts"
import type { MessageRequest, TemplateUse } from "../../services/message/MessageSends.ts"
import { MessageRecords } from "../../services/resources/MessageRecords.ts"
import { Messages } from "../../services/message/Messages.ts"
import { Api } from "../Api.ts"
import { orEnvelope } from "../Envelope.ts"
import { type MessageBody, toMessageSendResponse, toMessageStatus, toMessageSteps } from "./MessageSchemas.ts"
import { readMetadata, withMetadata } from "../Metadata.ts"
import { createdWithin, metadataFilters } from "../lists/SentQuery.ts"
import { pageRequest, toWirePage } from "../manage/wire/ManageWire.ts"
import { searchedPhone } from "../manage/wire/SearchFields.ts"
import { answerJson, pageJson } from "../RawJson.ts"
import { CurrentIdempotencyKey } from "../RequestGuards.ts"
import { CurrentPrincipal } from "../ServiceKeys.ts"

const templateOf = ({ template }: typeof MessageBody.Type): TemplateUse | undefined => {
  if (template == null) return undefined
  const given = template.parameters ?? {}
  const parameters = new Map(Object.entries(given).map(([name, value]) => [name, String(value)]))
  return { id: template.id, parameters, given }
}

const metadataOf = ({ metadata }: typeof MessageBody.Type) =>
  metadata == null
    ? Effect.undefined
    : Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.flatMap(Effect.orDie(request.text), (text) => Effect.fromResult(readMetadata(text, metadata)))
      )

const requestOf = Effect.fnUntraced(function* (payload: typeof MessageBody.Type) {
  const { customerId } = yield* CurrentPrincipal
  const key = yield* CurrentIdempotencyKey
  const metadata = yield* metadataOf(payload)
  const template = templateOf(payload)
  const channels = toMessageSteps(payload.channels)
  const { message, strategy, send_at, delay } = payload
  const to = normalPhone(payload.to)
  // In the contract's words: its fingerprint is stored, and other versions of Peyk must compute the same.
  const body = {
    to,
    message: message ?? undefined,
    template: template && { id: template.id, parameters: template.given },
    channels,
    strategy: strategy ?? undefined,
    metadata: metadata?.value,
    send_at: send_at ?? undefined,
    delay: delay ?? undefined
  }
  const request: MessageRequest = {
    customerId,
    to,
    message: body.message,
    template,
    channels,
    strategy: body.strategy,
    metadata: metadata?.text,
    sendAt: body.send_at,
    delay: body.delay,
    idempotency: key === null ? undefined : { key, body }
  }
  return request
})

/** The response contains the metadata exactly as the request had it. */
const statusJson = (view: MessageView): string => withMetadata(toMessageStatus(view), view.metadata)

export const MessageHandlers = HttpApiBuilder.group(
  Api,
  "messages",
  Effect.fnUntraced(function* (handlers) {
    const messages = yield* Messages
    const searches = yield* MessageRecords
    return handlers.handleAll({
      send: Effect.fnUntraced(function* ({ payload }) {
        const { perform } = yield* CurrentPrincipal
        const made = requestOf(payload)
        return yield* Effect.flatMap(made, (request) =>
          perform(({ setUpVersion }) => messages.send({ ...request, setUpVersion }))
        ).pipe(
          Effect.map((sent) =>
            HttpApiSchema.withHeaders({
              body: toMessageSendResponse(sent),
              headers: sent.replayed ? { "idempotency-replayed": "true" as const } : {}
            })
          ),
          orEnvelope
        )
      }),
      cancel: Effect.fnUntraced(function* ({ params }) {
        const { perform } = yield* CurrentPrincipal
        const view = perform(({ customerId, setUpVersion }) =>
          messages.cancel({ customerId, id: params.message_id, setUpVersion })
        )
        return yield* orEnvelope(Effect.map(view, (found) => answerJson(statusJson(found))))
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        const { customerId, confirm } = yield* CurrentPrincipal
        yield* confirm
        const page = yield* searches.list(customerId, {
          ...pageRequest("sent_messages", query),
          ...createdWithin(query),
          phone: yield* searchedPhone(query.to),
          status: query.status,
          metadata: yield* metadataFilters
        })
        return answerJson(
          pageJson(toWirePage("sent_messages", page, (message) => statusJson(viewMessage(message))))
        )
      }, orEnvelope),
      status: Effect.fnUntraced(function* ({ params }) {
        const { perform } = yield* CurrentPrincipal
        const view = perform(({ customerId, setUpVersion }) =>
          messages.status({ customerId, id: params.message_id, setUpVersion })
        )
        return yield* orEnvelope(Effect.map(view, (found) => answerJson(statusJson(found))))
      })
    })
  })
)
