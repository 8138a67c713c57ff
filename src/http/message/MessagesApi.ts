import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { ErrorCode } from "../errors/ErrorTable.ts"
import { MessageStatus } from "../../domain/message/Message.ts"
import { phoneFilter, sentList, sentListErrors, sentQuery } from "../manage/SentQuery.ts"
import { type ListName, pageOf } from "../manage/ManageWire.ts"
import {
  MessageBatchBody,
  MessageBatchResponse,
  MessageBody,
  MessageSendResponse,
  MessageStatusResponse
} from "./MessageSchemas.ts"
import {
  OptionalIdempotencyKey,
  optionalKey,
  replayed,
  RequireBatchJson,
  requiredKey,
  RequireIdempotencyKey,
  RequireJson
} from "../RequestGuards.ts"
import { HasLargeBody, Load, Subject } from "../RouteTable.ts"
import { LiveKey, TestKey } from "../ServiceKeys.ts"
import { ResourceId } from "../../domain/Fields.ts"
import { errors, messageSendErrors, simulatedMessageErrors } from "../errors/SendErrors.ts"

const messageId = { message_id: ResourceId }

const send = (summary: string, codes: ReadonlyArray<ErrorCode>) =>
  HttpApiEndpoint.post("send", "/send", {
    headers: optionalKey,
    payload: MessageBody,
    success: HttpApiSchema.WithHeaders(MessageSendResponse.pipe(HttpApiSchema.status(201)), replayed),
    error: errors(...codes)
  })
    .annotateMerge(OpenApi.annotations({ summary }))
    .annotate(Load, "send")
    .middleware(RequireJson)
    .middleware(OptionalIdempotencyKey)

const batch = (summary: string) =>
  HttpApiEndpoint.post("batch", "/batch", {
    headers: requiredKey,
    payload: MessageBatchBody,
    success: HttpApiSchema.WithHeaders(MessageBatchResponse, replayed),
    error: errors("idempotency_key_conflict", "idempotency_key_in_progress")
  })
    .annotateMerge(OpenApi.annotations({ summary }))
    .annotate(Load, "send")
    .annotate(HasLargeBody, true)
    .middleware(RequireBatchJson)
    .middleware(RequireIdempotencyKey)

const status = (summary: string) =>
  HttpApiEndpoint.get("status", "/:message_id", {
    params: messageId,
    success: MessageStatusResponse,
    error: errors("not_found", "validation_error")
  }).annotateMerge(OpenApi.annotations({ summary }))

const cancel = (summary: string) =>
  HttpApiEndpoint.post("cancel", "/:message_id/cancel", {
    params: messageId,
    success: MessageStatusResponse,
    error: errors("not_found", "validation_error", "message_ended")
  })
    .annotateMerge(
      OpenApi.annotations({
        summary,
        description: "Repeating it returns the same. 409 message_ended once it was sent, or may have been."
      })
    )
    .annotate(Load, "send")

const list = (name: ListName, summary: string) =>
  HttpApiEndpoint.get("list", "/", {
    query: sentQuery(name, { to: phoneFilter, status: Schema.optionalKey(MessageStatus) }),
    success: pageOf(MessageStatusResponse),
    error: sentListErrors
  })
    .annotateMerge(sentList(summary))
    .annotate(Load, "manage")

export class MessagesGroup extends HttpApiGroup.make("messages")
  .add(
    send("Create a message to one phone, for now or later", messageSendErrors),
    batch("Create up to 500 messages"),
    status("Read a message"),
    cancel("Cancel a message that was not sent yet"),
    list("sent_messages", "List messages")
  )
  .prefix("/v1/messages")
  .annotate(Load, "check")
  .annotate(Subject, "message")
  .middleware(LiveKey)
  .annotateMerge(OpenApi.annotations({ title: "Messaging" })) {}

export class SandboxMessagesGroup extends HttpApiGroup.make("sandbox-messages")
  .add(
    send("Create a simulated message, for now or later", simulatedMessageErrors),
    batch("Create up to 500 simulated messages"),
    status("Read a simulated message"),
    cancel("Cancel a simulated message that was not sent yet"),
    list("sandbox_messages", "List simulated messages")
  )
  .prefix("/v1/sandbox/messages")
  .annotate(Load, "check")
  .annotate(Subject, "message")
  .middleware(TestKey)
  .annotateMerge(OpenApi.annotations({ title: "Sandbox: messaging" })) {}
