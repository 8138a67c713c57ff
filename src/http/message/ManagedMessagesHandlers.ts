import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { answerManagedJson, pageJson } from "../RequestGuards.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { messageJson } from "./ManagedMessagesApi.ts"
import { CurrentActor } from "../wire/ManageAuth.ts"
import { pageRequest, toWirePage } from "../wire/ManageWire.ts"
import { searchedPhone } from "../wire/SearchFields.ts"
import { MessageRecords } from "../../services/message/MessageRecords.ts"

export const ManagedMessagesHandlers = HttpApiBuilder.group(
  Api,
  "managed-messages",
  Effect.fnUntraced(function* (handlers) {
    const messages = yield* MessageRecords
    return handlers.handleAll({
      list: ({ query }) =>
        Effect.gen(function* () {
          const { actor } = yield* CurrentActor
          const { status, strategy, channel, from, to } = query
          const page = yield* messages.list(actor.customerId, {
            ...pageRequest("messages", query),
            phone: yield* searchedPhone(query.phone),
            status,
            strategy,
            channel,
            from,
            to
          })
          return answerManagedJson(pageJson(toWirePage("messages", page, messageJson)))
        }).pipe(orEnvelope),

      read: ({ params }) =>
        Effect.gen(function* () {
          const { actor } = yield* CurrentActor
          return answerManagedJson(messageJson(yield* messages.find(actor.customerId, params.id)))
        }).pipe(orEnvelope)
    })
  })
)
