import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { type MessageStatus, type MessageView, viewMessage } from "../../domain/message/Message.ts"
import type { KeyMode } from "../../domain/people/Customer.ts"
import { normalPhone } from "../../domain/Phone.ts"
import type { MessageRequest, TemplateUse } from "../../services/message/MessageSends.ts"
import { MessageRecords } from "../../services/resources/activity/MessageRecords.ts"
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

interface OneRequest {
  readonly params: { readonly message_id: string }
}

interface ListQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly to?: string
  readonly status?: MessageStatus
  readonly created_after?: number
  readonly created_before?: number
}

/** The response contains the metadata exactly as the request had it. */
const statusJson = (view: MessageView): string => withMetadata(toMessageStatus(view), view.metadata)

/** The operations on the messages of one mode. */
const makeHandlers = Effect.fnUntraced(function* (name: "sent_messages" | "sandbox_messages", mode: KeyMode) {
  const messages = yield* Messages
  const searches = yield* MessageRecords
  const answered = <E, R>(view: Effect.Effect<MessageView, E, R>) =>
    Effect.map(view, (found) => answerJson(statusJson(found)))
  return {
    send: Effect.fnUntraced(function* ({ payload }: { readonly payload: typeof MessageBody.Type }) {
      const { perform, notes } = yield* CurrentPrincipal
      notes.phone(payload.to)
      const made = requestOf(payload)
      return yield* Effect.flatMap(made, (request) =>
        perform(({ setUpVersion }) => messages.send({ ...request, setUpVersion }))
      ).pipe(
        Effect.tap(({ messageId }) => Effect.sync(() => notes.subject(messageId))),
        Effect.map((sent) =>
          HttpApiSchema.withHeaders({
            body: toMessageSendResponse(sent),
            headers: sent.replayed ? { "idempotency-replayed": "true" as const } : {}
          })
        ),
        orEnvelope
      )
    }),
    cancel: Effect.fnUntraced(function* ({ params }: OneRequest) {
      const { perform } = yield* CurrentPrincipal
      const view = perform(({ customerId, setUpVersion }) =>
        messages.cancel({ customerId, id: params.message_id, setUpVersion })
      )
      return yield* orEnvelope(answered(view))
    }),
    status: Effect.fnUntraced(function* ({ params }: OneRequest) {
      const { perform } = yield* CurrentPrincipal
      const view = perform(({ customerId, setUpVersion }) =>
        messages.status({ customerId, id: params.message_id, setUpVersion })
      )
      return yield* orEnvelope(answered(view))
    }),
    list: Effect.fnUntraced(function* ({ query }: { readonly query: ListQuery }) {
      const { customerId, confirm } = yield* CurrentPrincipal
      yield* confirm
      const page = yield* searches.list(customerId, {
        ...pageRequest(name, query),
        ...createdWithin(query),
        mode,
        phone: yield* searchedPhone(query.to),
        status: query.status,
        metadata: yield* metadataFilters
      })
      return answerJson(pageJson(toWirePage(name, page, (message) => statusJson(viewMessage(message)))))
    }, orEnvelope)
  }
})

export const MessageHandlers = HttpApiBuilder.group(
  Api,
  "messages",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll(yield* makeHandlers("sent_messages", "live"))
  })
)

export const SandboxMessageHandlers = HttpApiBuilder.group(
  Api,
  "sandbox-messages",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll(yield* makeHandlers("sandbox_messages", "test"))
  })
)
