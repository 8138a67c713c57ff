import { Schema } from "effect"
import { type Message, MessageStatus, Strategy, viewMessage } from "../../domain/message/Message.ts"
import { withMetadata } from "../Metadata.ts"
import { attemptDetails, deliverySearch, PathUuid, Rials, toAttemptDetails } from "./SearchFields.ts"
import { MessageStatusResponse, toMessageStatus } from "../message/MessageSchemas.ts"
import { MessageRecords } from "../../services/message/MessageRecords.ts"
import { handlersOf, manageGroup, reading } from "./Endpoints.ts"
import { foundJson, searched } from "./Handlers.ts"

const MessageResource = Schema.Struct({
  ...MessageStatusResponse.fields,
  attempts: Schema.Array(
    Schema.Struct({ ...MessageStatusResponse.fields.attempts.value.fields, ...attemptDetails })
  ),
  text: Schema.String,
  cost: Rials
}).annotate({ identifier: "Message" })

/** Everything except the metadata, which is JSON text already. */
export const toMessage = (message: Message): Omit<typeof MessageResource.Type, "metadata"> => {
  const status = toMessageStatus(viewMessage(message))
  const attempts = status.attempts.map((attempt) => ({
    ...attempt,
    ...toAttemptDetails(message.attempts.find(({ step }) => step + 1 === attempt.sequence))
  }))
  return { ...status, attempts, text: message.text, cost: message.captured }
}

/** As JSON text that contains the metadata exactly as it came. */
export const messageJson = (message: Message): string => withMetadata(toMessage(message), message.metadata)

export class ManagedMessagesGroup extends manageGroup(
  "managed-messages",
  "/v1/manage/messages",
  { title: "Management: messages" },
  deliverySearch(
    "messages",
    {
      status: Schema.optionalKey(MessageStatus),
      strategy: Schema.optionalKey(Strategy)
    },
    MessageResource
  ),
  reading(PathUuid, MessageResource, "Read a message with the outcomes of its attempts")
) {}

export const ManagedMessagesHandlers = handlersOf(ManagedMessagesGroup, (handlers) =>
  handlers.handleAll({
    list: searched("messages", MessageRecords, ({ status, strategy }) => ({ status, strategy }), messageJson),
    read: foundJson(MessageRecords, messageJson)
  })
)
