import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { type MessageView, viewMessage } from "../../domain/message/Message.ts"
import { normalPhone } from "../../domain/Phone.ts"
import type { MessageRequest, TemplateUse } from "../../services/message/MessageSends.ts"
import { MessageRecords } from "../../services/resources/MessageRecords.ts"
import { Messages } from "../../services/message/Messages.ts"
import { Api } from "../Api.ts"
import { type CodedError, orEnvelope } from "../Envelope.ts"
import { type MessageBody, toMessageSendResponse, toMessageStatus, toMessageSteps } from "./MessageSchemas.ts"
import { isShort, MAX_METADATA_BYTES, readMetadata } from "./Metadata.ts"
import { createdWithin, metadataFilters } from "../lists/SentQuery.ts"
import { pageRequest, toWirePage } from "../manage/wire/ManageWire.ts"
import { searchedPhone } from "../manage/wire/SearchFields.ts"
import { CurrentIdempotencyKey } from "../RequestGuards.ts"
import { CurrentPrincipal } from "../ServiceKeys.ts"

const templateOf = ({ template }: typeof MessageBody.Type): TemplateUse | undefined => {
  if (template == null) return undefined
  const given = template.parameters ?? {}
  const parameters = new Map(Object.entries(given).map(([name, value]) => [name, String(value)]))
  return { id: template.id, parameters, given }
}

const metadataOf = Effect.fnUntraced(function* ({ metadata }: typeof MessageBody.Type) {
  if (metadata == null) return undefined
  const request = yield* HttpServerRequest.HttpServerRequest
  const read = readMetadata(yield* Effect.orDie(request.text), metadata)
  if (isShort(read.text)) return read
  const issue = { path: "body.metadata", message: `Expected at most ${MAX_METADATA_BYTES} bytes of JSON` }
  return yield* Effect.fail<CodedError>({ _tag: "validation_error", details: { errors: [issue] } })
})

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
const statusJson = (view: MessageView): string =>
  `${JSON.stringify(toMessageStatus(view)).slice(0, -1)},"metadata":${view.metadata}}`

const answerJson = (json: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(json, { contentType: "application/json" })

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
        const { data, next_cursor } = toWirePage("sent_messages", page, (message) =>
          statusJson(viewMessage(message))
        )
        return answerJson(`{"data":[${data.join(",")}],"next_cursor":${JSON.stringify(next_cursor)}}`)
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
