import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { type MessageStatus, type MessageView, viewMessage } from "../../domain/message/Message.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import { IdempotencyRequired } from "../../domain/Errors.ts"
import { MessageRecords } from "../../services/message/MessageRecords.ts"
import { Messages } from "../../services/message/Messages.ts"
import { Api } from "../Api.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { type MessageBody, toMessageSendResponse, toMessageStatus } from "./MessageSchemas.ts"
import type { MessageBatchBody } from "./MessageSchemas.ts"
import { messageRequestOf, readBatch, refusedIn, toBatchResponse } from "./MessageRequests.ts"
import { withMetadata } from "../Metadata.ts"
import { createdWithin, metadataFilters } from "../manage/SentQuery.ts"
import { pageRequest, toWirePage } from "../manage/ManageWire.ts"
import { searchedPhone } from "../manage/SearchFields.ts"
import { respondWithJson, CurrentIdempotencyKey, pageJson } from "../RequestGuards.ts"
import { CurrentPrincipal } from "../ServiceKeys.ts"

/** The text is read only for metadata. */
const textOf = ({ metadata }: typeof MessageBody.Type) =>
  metadata == null
    ? Effect.succeed("")
    : Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => Effect.orDie(request.text))

/** The batch in the body, with its required key. */
const batchOf = Effect.fnUntraced(function* ({ messages }: typeof MessageBatchBody.Type) {
  const { customerId } = yield* CurrentPrincipal
  const key = yield* CurrentIdempotencyKey
  if (key === null) return yield* new IdempotencyRequired()
  const request = yield* HttpServerRequest.HttpServerRequest
  return { ...readBatch(messages, yield* Effect.orDie(request.text), key), customerId }
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
  const responded = <E, R>(view: Effect.Effect<MessageView, E, R>) =>
    Effect.map(view, (found) => respondWithJson(statusJson(found)))
  return {
    send: Effect.fnUntraced(function* ({ payload }: { readonly payload: typeof MessageBody.Type }) {
      const { perform, notes } = yield* CurrentPrincipal
      notes.phone(payload.to)
      notes.body(payload)
      const key = yield* CurrentIdempotencyKey
      const posted = { payload, text: yield* textOf(payload) }
      return yield* perform((principal) =>
        Effect.flatMap(Effect.fromResult(messageRequestOf(principal, key, posted)), messages.send)
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
    batch: Effect.fnUntraced(function* ({ payload }: { readonly payload: typeof MessageBatchBody.Type }) {
      const { perform, notes } = yield* CurrentPrincipal
      return yield* Effect.flatMap(batchOf(payload), (request) =>
        perform(({ setUpVersion }) => messages.sendBatch({ ...request, setUpVersion }))
      ).pipe(
        Effect.tap(({ outcomes, replayed }) =>
          Effect.sync(() => {
            if (replayed) return
            for (const { phone, refusal } of refusedIn(outcomes, payload.messages))
              notes.refusedItem(phone, refusal)
          })
        ),
        Effect.map(({ outcomes, replayed }) =>
          HttpApiSchema.withHeaders({
            body: toBatchResponse(outcomes),
            headers: replayed ? { "idempotency-replayed": "true" as const } : {}
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
      return yield* orEnvelope(responded(view))
    }),
    status: Effect.fnUntraced(function* ({ params }: OneRequest) {
      const { perform } = yield* CurrentPrincipal
      const view = perform(({ customerId, setUpVersion }) =>
        messages.status({ customerId, id: params.message_id, setUpVersion })
      )
      return yield* orEnvelope(responded(view))
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
      return respondWithJson(pageJson(toWirePage(name, page, (message) => statusJson(viewMessage(message)))))
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
