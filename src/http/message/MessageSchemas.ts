import { Schema } from "effect"
import { MAX_BATCH } from "../../domain/message/MessageBatch.ts"
import { MAX_STEPS } from "../../domain/routing/Route.ts"
import { ChannelDescriptor } from "../../domain/routing/Channel.ts"
import { formatInstant, formatNullableInstant } from "../../domain/Instant.ts"
import {
  MessageAttemptStatus,
  MessageStatus,
  type MessageView,
  Strategy,
  UsedTemplate
} from "../../domain/message/Message.ts"
import type { MessageStepRequest } from "../../domain/routing/MessageRoute.ts"
import { AttemptErrorCode } from "../../domain/ProviderOutcome.ts"
import type { SentMessage } from "../../services/message/MessageSends.ts"
import { isBlank, isStorable, StorableText } from "../../domain/text/VisibleText.ts"
import { MetadataField } from "../Metadata.ts"
import { DateTimeText, jsonObject, optional, PositiveInt } from "../../domain/Fields.ts"
import { problem } from "../../domain/Problem.ts"
import { isMaxEntries, refusedAt } from "../../domain/SchemaProblems.ts"

/** JSON.parse keeps only one of the spellings of a fraction, and not all digits of a long number. */
const isParameter = (value: unknown): boolean =>
  typeof value === "string" ? isStorable(value) : Number.isSafeInteger(value)

/** An empty value leaves its place out on purpose; one that only seems to be there is a mistake. */
const isSeen = (value: unknown): boolean => typeof value !== "string" || value === "" || !isBlank(value)

const Parameters = jsonObject((given) =>
  Object.entries(given).flatMap(([name, value]) => {
    if (!isParameter(value)) return [refusedAt([name], problem("not_parameter"))]
    return isSeen(value) ? [] : [refusedAt([name], problem("value_not_visible"))]
  })
).annotate({
  description:
    "Exactly the template's placeholders; values are strings, or whole numbers of at most 2^53 - 1."
})

const TemplateUse = Schema.Struct({ id: PositiveInt, parameters: optional(Parameters) }).annotate({
  identifier: "MessageTemplate"
})

const ChannelObject = Schema.Struct({
  channel: Schema.String.annotate({ description: "eitaa, bale, soroushplus, rubika, telegram or sms" }),
  account_id: optional(PositiveInt).annotateKey({
    description: "The exact account, when several serve the channel."
  })
}).annotate({ identifier: "MessageChannelObject" })

const Channels = Schema.Union([
  Schema.String,
  Schema.Array(Schema.Union([Schema.String, ChannelObject])).check(isMaxEntries(MAX_STEPS))
]).annotate({
  description:
    "Required. One channel name, or a list of names or channel objects; the order counts under failover."
})

export const MessageBody = Schema.Struct({
  to: Schema.String.annotate({
    description: "An Iranian mobile number: 0912…, +98912…, 0098912… or 912…, with or without separators",
    examples: ["09121234567"]
  }),
  message: optional(StorableText).annotateKey({
    description: "The text: at most 1000 characters after trimming."
  }),
  template: optional(TemplateUse).annotateKey({ description: "Instead of message." }),
  channels: optional(Channels),
  strategy: optional(Schema.String).annotateKey({ description: "failover (default) or broadcast" }),
  metadata: optional(MetadataField),
  send_at: optional(DateTimeText).annotateKey({
    description: "ISO 8601 date-time, at most 30 days ahead; without an offset it is Tehran time."
  }),
  delay: optional(Schema.String).annotateKey({
    description: "Instead of send_at: a positive number and s, m, h or d; at most 30 days."
  })
})
  .check(
    Schema.makeFilter(({ message, template, send_at, delay }) => {
      const issues: Array<Schema.FilterIssue> = []
      if (message != null && template != null)
        issues.push(refusedAt(["template"], problem("one_of_two", { given: ["message", "template"] })))
      if (send_at != null && delay != null)
        issues.push(refusedAt(["delay"], problem("one_of_two", { given: ["send_at", "delay"] })))
      return issues
    })
  )
  .annotate({ identifier: "MessageSendRequest" })

const Template = Schema.NullOr(UsedTemplate)

export const MessageSendResponse = Schema.Struct({
  message_id: Schema.String,
  status: MessageStatus,
  strategy: Strategy,
  scheduled_for: Schema.NullOr(Schema.String),
  template: Template,
  current_channel: ChannelDescriptor
}).annotate({ identifier: "MessageSendResponse" })

export const MessageStatusResponse = Schema.Struct({
  message_id: Schema.String,
  status: MessageStatus,
  to: Schema.String,
  strategy: Strategy,
  scheduled_for: Schema.NullOr(Schema.String),
  template: Template,
  metadata: jsonObject(),
  successful_attempts: Schema.Int,
  failed_attempts: Schema.Int,
  unknown_attempts: Schema.Int.annotateKey({
    description: "Failed attempts with an unknown outcome: they may have been delivered."
  }),
  created_at: Schema.String,
  completed_at: Schema.NullOr(Schema.String),
  attempts: Schema.Array(
    Schema.Struct({
      sequence: Schema.Int,
      channel: ChannelDescriptor,
      status: MessageAttemptStatus,
      error_code: Schema.NullOr(AttemptErrorCode),
      error_message: Schema.NullOr(Schema.String),
      provider_error: Schema.NullOr(Schema.String),
      due_at: Schema.String,
      attempted_at: Schema.NullOr(Schema.String),
      finished_at: Schema.NullOr(Schema.String)
    })
  )
}).annotate({ identifier: "MessageStatusResponse" })

/** All forms of `channels` as steps; none for an absent or empty one. */
export const toMessageSteps = (
  channels: typeof Channels.Type | null | undefined
): ReadonlyArray<MessageStepRequest> => {
  if (channels == null || channels === "") return []
  const elements = typeof channels === "string" ? [channels] : channels
  return elements.map((element) =>
    typeof element === "string"
      ? { channel: element }
      : { channel: element.channel, account_id: element.account_id ?? undefined }
  )
}

export const toMessageSendResponse = (response: SentMessage): typeof MessageSendResponse.Type => ({
  message_id: response.messageId,
  status: response.status,
  strategy: response.strategy,
  scheduled_for: formatNullableInstant(response.scheduledFor),
  template: response.template,
  current_channel: response.currentChannel
})

/** The whole status except the metadata, which is JSON text already. */
export const toMessageStatus = (view: MessageView): Omit<typeof MessageStatusResponse.Type, "metadata"> => ({
  message_id: view.id,
  status: view.status,
  to: view.phone,
  strategy: view.strategy,
  scheduled_for: formatNullableInstant(view.scheduledFor),
  template: view.template,
  successful_attempts: view.successfulAttempts,
  failed_attempts: view.failedAttempts,
  unknown_attempts: view.unknownAttempts,
  created_at: formatInstant(view.createdAt),
  completed_at: formatNullableInstant(view.completedAt),
  attempts: view.attempts.map((attempt) => ({
    sequence: attempt.sequence,
    channel: attempt.channel,
    status: attempt.status,
    error_code: attempt.errorCode,
    error_message: attempt.errorMessage,
    provider_error: attempt.providerError,
    due_at: formatInstant(attempt.dueAt),
    attempted_at: formatNullableInstant(attempt.attemptedAt),
    finished_at: formatNullableInstant(attempt.finishedAt)
  }))
})

/** Each message is checked by itself: one of the wrong shape does not refuse the others. */
export const MessageBatchBody = Schema.Struct({
  messages: Schema.Array(Schema.Unknown)
    .check(Schema.isMinLength(1), isMaxEntries(MAX_BATCH))
    .annotate({ description: `1 to ${MAX_BATCH} bodies of POST /v1/messages/send.` })
}).annotate({ identifier: "MessageBatchRequest" })

const Index = Schema.Int.annotateKey({ description: "The message's place in the request, from 0 on." })

export const MessageBatchResponse = Schema.Struct({
  data: Schema.Array(
    Schema.Union([
      Schema.Struct({ index: Index, message_id: Schema.String, status: Schema.Literal("queued") }),
      Schema.Struct({
        index: Index,
        error: Schema.Struct({
          code: Schema.String,
          message: Schema.String,
          details: Schema.Record(Schema.String, Schema.Unknown)
        })
      })
    ])
  )
}).annotate({ identifier: "MessageBatchResponse" })
