import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccountGroup, ManagedAccountGroup } from "./account/AccountApi.ts"
import { documentedError } from "./Envelope.ts"
import type { ErrorCode } from "./ErrorTable.ts"
import { ApiKeysGroup } from "./manage/access/ApiKeysApi.ts"
import { AccountsGroup, RoutingGroup, TemplatesGroup } from "./manage/setup/SetUpApi.ts"
import { AuthGroup, WellKnownGroup } from "./manage/access/AuthApi.ts"
import { TokensGroup } from "./manage/access/TokensApi.ts"
import { MeGroup } from "./manage/access/MeApi.ts"
import { UsersGroup } from "./manage/access/UsersApi.ts"
import { AuditLogGroup } from "./manage/activity/AuditLogApi.ts"
import { ManagedMessagesGroup } from "./manage/activity/ManagedMessagesApi.ts"
import { PhonesGroup } from "./manage/activity/PhonesApi.ts"
import { UsageReportGroup } from "./manage/money/UsageApi.ts"
import { ManagedVerificationsGroup } from "./manage/activity/VerificationsApi.ts"
import { GuardGroup } from "./manage/guard/GuardApi.ts"
import { WalletGroup } from "./manage/money/WalletApi.ts"
import { WebhooksGroup } from "./manage/setup/WebhooksApi.ts"
import { MessageStatus } from "../domain/message/Message.ts"
import { VerificationStatus } from "../domain/verification/Verification.ts"
import { phoneFilter, sentListErrors, sentList, sentQuery } from "./lists/SentQuery.ts"
import { pageOf } from "./manage/wire/ManageWire.ts"
import { MessageBatchBody, MessageBatchResponse } from "./message/MessageBatchSchemas.ts"
import { MessageBody, MessageSendResponse, MessageStatusResponse } from "./message/MessageSchemas.ts"
import {
  ListedSandboxVerification,
  ListedVerification,
  NextBody,
  SandboxSendBody,
  SandboxStatusResponse,
  SendBody,
  SendResponse,
  StatusResponse,
  VerifyBody,
  VerifyResponse
} from "./otp/OtpSchemas.ts"
import { transformDocument } from "./openapi/DocumentTransform.ts"
import {
  OptionalIdempotencyKey,
  OptionalJson,
  RequireBatchJson,
  RequireIdempotencyKey,
  RequireJson
} from "./RequestGuards.ts"
import { LiveKey, TestKey } from "./ServiceKeys.ts"
import { ResourceId } from "./WireSchemas.ts"

const errors = (...codes: ReadonlyArray<ErrorCode>) => codes.map(documentedError)

const nameErrors: ReadonlyArray<ErrorCode> = ["invalid_phone", "invalid_channel", "duplicate_channel"]

const accountErrors: ReadonlyArray<ErrorCode> = [
  "channel_unavailable",
  "channel_ambiguous",
  "channel_account_not_found",
  "channel_account_mismatch",
  "sms_message_config_missing"
]

/** The errors that can refuse any request that really sends. */
const liveSendErrors: ReadonlyArray<ErrorCode> = [
  ...nameErrors,
  "idempotency_key_conflict",
  "idempotency_key_in_progress",
  ...accountErrors,
  "template_not_found",
  "template_invalid",
  "too_many_requests_phone_hour",
  "too_many_requests_phone_day",
  "quota_exceeded",
  "insufficient_balance"
]

const codeSendErrors: ReadonlyArray<ErrorCode> = [
  ...liveSendErrors,
  "fallback_order_required",
  "no_credentials",
  "shared_sender_not_allowed",
  "shared_sender_unavailable",
  "blocked_phone",
  "suspected_fraud"
]

const messageSendErrors: ReadonlyArray<ErrorCode> = [
  ...liveSendErrors,
  "message_required",
  "message_too_long",
  "channels_required",
  "invalid_strategy",
  "invalid_delay",
  "schedule_must_be_future",
  "schedule_too_far",
  "template_parameters_mismatch"
]

/** The errors of a simulated message: routes are names only, and some phones force a refusal. */
const simulatedMessageErrors = messageSendErrors.filter(
  (code) =>
    !accountErrors.includes(code) && code !== "too_many_requests_phone_day" && code !== "quota_exceeded"
)

const replayed = { "idempotency-replayed": Schema.optionalKey(Schema.Literal("true")) }

const requiredKey = {
  "idempotency-key": Schema.String.annotate({
    description: "Unique per request; at most 255 characters."
  })
}

const idParams = { verification_id: ResourceId }

export class OtpGroup extends HttpApiGroup.make("otp")
  .add(
    HttpApiEndpoint.post("send", "/send", {
      headers: requiredKey,
      payload: SendBody,
      success: HttpApiSchema.WithHeaders(SendResponse, replayed),
      error: errors(...codeSendErrors)
    })
      .annotateMerge(OpenApi.annotations({ summary: "Create a verification and send its code" }))
      .middleware(RequireJson)
      .middleware(RequireIdempotencyKey),
    HttpApiEndpoint.post("verify", "/verify", {
      payload: VerifyBody,
      success: VerifyResponse,
      error: errors("not_found")
    })
      .annotateMerge(OpenApi.annotations({ summary: "Check a code that a user entered" }))
      .middleware(RequireJson),
    HttpApiEndpoint.get("status", "/:verification_id", {
      params: idParams,
      success: StatusResponse,
      error: errors("not_found", "validation_error")
    }).annotateMerge(OpenApi.annotations({ summary: "Read a verification" })),
    HttpApiEndpoint.post("next", "/:verification_id/next", {
      params: idParams,
      payload: NextBody,
      success: StatusResponse,
      error: errors("not_found", "no_next_channel", "verification_ended")
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Try the next channel now",
          description:
            "The channel is tried before the response. With from_sequence, repeating the request skips no channel."
        })
      )
      .middleware(OptionalJson),
    HttpApiEndpoint.post("cancel", "/:verification_id/cancel", {
      params: idParams,
      success: StatusResponse,
      error: errors("not_found", "validation_error", "verification_ended")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Cancel a verification",
        description: "No further channel is tried. Repeating it returns the same."
      })
    ),
    HttpApiEndpoint.get("list", "/", {
      query: sentQuery("otp", { phone: phoneFilter, status: Schema.optionalKey(VerificationStatus) }),
      success: pageOf(ListedVerification),
      error: sentListErrors
    }).annotateMerge(sentList("List verifications"))
  )
  .prefix("/v1/otp")
  .middleware(LiveKey)
  .annotateMerge(OpenApi.annotations({ title: "Verification" })) {}

export class SandboxGroup extends HttpApiGroup.make("sandbox")
  .add(
    HttpApiEndpoint.post("send", "/send", {
      payload: SandboxSendBody,
      success: SendResponse,
      error: errors(...nameErrors, "too_many_requests_phone_hour", "insufficient_balance")
    })
      .annotateMerge(OpenApi.annotations({ summary: "Create a simulated verification; its code is 123456" }))
      .middleware(RequireJson),
    HttpApiEndpoint.post("verify", "/verify", {
      payload: VerifyBody,
      success: VerifyResponse,
      error: errors("not_found")
    })
      .annotateMerge(OpenApi.annotations({ summary: "Check a code of a simulated verification" }))
      .middleware(RequireJson),
    HttpApiEndpoint.get("status", "/:verification_id", {
      params: idParams,
      success: SandboxStatusResponse,
      error: errors("not_found", "validation_error")
    }).annotateMerge(OpenApi.annotations({ summary: "Read a simulated verification" })),
    HttpApiEndpoint.post("next", "/:verification_id/next", {
      params: idParams,
      payload: NextBody,
      success: SandboxStatusResponse,
      error: errors("not_found", "no_next_channel", "verification_ended")
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Try the next channel of a simulated verification now",
          description:
            "The channel is tried before the response. With from_sequence, repeating the request skips no channel."
        })
      )
      .middleware(OptionalJson),
    HttpApiEndpoint.post("cancel", "/:verification_id/cancel", {
      params: idParams,
      success: SandboxStatusResponse,
      error: errors("not_found", "validation_error", "verification_ended")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Cancel a simulated verification",
        description: "No further channel is tried. Repeating it returns the same."
      })
    ),
    HttpApiEndpoint.get("list", "/", {
      query: sentQuery("sandbox_otp", { phone: phoneFilter, status: Schema.optionalKey(VerificationStatus) }),
      success: pageOf(ListedSandboxVerification),
      error: sentListErrors
    }).annotateMerge(sentList("List simulated verifications"))
  )
  .prefix("/v1/sandbox/otp")
  .middleware(TestKey)
  .annotateMerge(OpenApi.annotations({ title: "Sandbox" })) {}

export class MessagesGroup extends HttpApiGroup.make("messages")
  .add(
    HttpApiEndpoint.post("send", "/send", {
      headers: {
        "idempotency-key": Schema.optionalKey(Schema.String).annotateKey({
          description: "Unique per request; at most 255 characters."
        })
      },
      payload: MessageBody,
      success: HttpApiSchema.WithHeaders(MessageSendResponse.pipe(HttpApiSchema.status(201)), replayed),
      error: errors(...messageSendErrors)
    })
      .annotateMerge(OpenApi.annotations({ summary: "Create a message to one phone, for now or later" }))
      .middleware(RequireJson)
      .middleware(OptionalIdempotencyKey),
    HttpApiEndpoint.post("batch", "/batch", {
      headers: requiredKey,
      payload: MessageBatchBody,
      success: HttpApiSchema.WithHeaders(MessageBatchResponse, replayed),
      error: errors("idempotency_key_conflict", "idempotency_key_in_progress")
    })
      .annotateMerge(OpenApi.annotations({ summary: "Create up to 500 messages" }))
      .middleware(RequireBatchJson)
      .middleware(RequireIdempotencyKey),
    HttpApiEndpoint.get("status", "/:message_id", {
      params: { message_id: ResourceId },
      success: MessageStatusResponse,
      error: errors("not_found", "validation_error")
    }).annotateMerge(OpenApi.annotations({ summary: "Read a message" })),
    HttpApiEndpoint.post("cancel", "/:message_id/cancel", {
      params: { message_id: ResourceId },
      success: MessageStatusResponse,
      error: errors("not_found", "validation_error", "message_ended")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Cancel a message that was not sent yet",
        description: "Repeating it returns the same. 409 message_ended once it was sent, or may have been."
      })
    ),
    HttpApiEndpoint.get("list", "/", {
      query: sentQuery("sent_messages", { to: phoneFilter, status: Schema.optionalKey(MessageStatus) }),
      success: pageOf(MessageStatusResponse),
      error: sentListErrors
    }).annotateMerge(sentList("List messages"))
  )
  .prefix("/v1/messages")
  .middleware(LiveKey)
  .annotateMerge(OpenApi.annotations({ title: "Messaging" })) {}

export class SandboxMessagesGroup extends HttpApiGroup.make("sandbox-messages")
  .add(
    HttpApiEndpoint.post("send", "/send", {
      headers: {
        "idempotency-key": Schema.optionalKey(Schema.String).annotateKey({
          description: "Unique per request; at most 255 characters."
        })
      },
      payload: MessageBody,
      success: HttpApiSchema.WithHeaders(MessageSendResponse.pipe(HttpApiSchema.status(201)), replayed),
      error: errors(...simulatedMessageErrors)
    })
      .annotateMerge(OpenApi.annotations({ summary: "Create a simulated message, for now or later" }))
      .middleware(RequireJson)
      .middleware(OptionalIdempotencyKey),
    HttpApiEndpoint.post("batch", "/batch", {
      headers: requiredKey,
      payload: MessageBatchBody,
      success: HttpApiSchema.WithHeaders(MessageBatchResponse, replayed),
      error: errors("idempotency_key_conflict", "idempotency_key_in_progress")
    })
      .annotateMerge(OpenApi.annotations({ summary: "Create up to 500 simulated messages" }))
      .middleware(RequireBatchJson)
      .middleware(RequireIdempotencyKey),
    HttpApiEndpoint.get("status", "/:message_id", {
      params: { message_id: ResourceId },
      success: MessageStatusResponse,
      error: errors("not_found", "validation_error")
    }).annotateMerge(OpenApi.annotations({ summary: "Read a simulated message" })),
    HttpApiEndpoint.post("cancel", "/:message_id/cancel", {
      params: { message_id: ResourceId },
      success: MessageStatusResponse,
      error: errors("not_found", "validation_error", "message_ended")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Cancel a simulated message that was not sent yet",
        description: "Repeating it returns the same. 409 message_ended once it was sent, or may have been."
      })
    ),
    HttpApiEndpoint.get("list", "/", {
      query: sentQuery("sandbox_messages", { to: phoneFilter, status: Schema.optionalKey(MessageStatus) }),
      success: pageOf(MessageStatusResponse),
      error: sentListErrors
    }).annotateMerge(sentList("List simulated messages"))
  )
  .prefix("/v1/sandbox/messages")
  .middleware(TestKey)
  .annotateMerge(OpenApi.annotations({ title: "Sandbox: messaging" })) {}

const Health = Schema.Struct({ status: Schema.Literal("ok") })

/** Prometheus' text format. */
export const METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

export class SystemGroup extends HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("healthz", "/healthz", { success: Health }).annotateMerge(
      OpenApi.annotations({ summary: "Whether the process runs" })
    ),
    HttpApiEndpoint.get("readyz", "/readyz", {
      success: Health,
      error: errors("service_unavailable")
    }).annotateMerge(
      OpenApi.annotations({ summary: "Whether the store is reachable and its schema current" })
    ),
    HttpApiEndpoint.get("metrics", "/metrics", {
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: METRICS_CONTENT_TYPE })),
      error: errors("unauthenticated")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Metrics, for Prometheus",
        description:
          "With PEYK_METRICS_TOKEN set: for callers that send it as Authorization: Bearer. Else, if Peyk listens on loopback " +
          "only: for local callers, not through a proxy."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "System" })) {}

/** An operation here refuses unknown fields: they would have no effect. */
const ManageApi = HttpApi.make("manage")
  .add(ApiKeysGroup)
  .add(AccountsGroup)
  .add(RoutingGroup)
  .add(TemplatesGroup)
  .add(ManagedVerificationsGroup)
  .add(ManagedMessagesGroup)
  .add(PhonesGroup)
  .add(UsageReportGroup)
  .add(ManagedAccountGroup)
  .add(WalletGroup)
  .add(AuditLogGroup)
  .add(WebhooksGroup)
  .add(GuardGroup)
  .add(TokensGroup)
  .add(UsersGroup)
  .add(MeGroup)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })

export class Api extends HttpApi.make("peyk")
  .add(OtpGroup)
  .add(SandboxGroup)
  .add(MessagesGroup)
  .add(SandboxMessagesGroup)
  .add(AccountGroup)
  .addHttpApi(ManageApi)
  .add(AuthGroup)
  .add(WellKnownGroup)
  .add(SystemGroup)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Peyk",
      version: "1",
      license: { name: "MIT", identifier: "MIT" },
      description:
        "Delivers one-time codes and messages to Iranian phones over messengers and SMS, falling back from channel to " +
        "channel until the code is verified. Every error is an envelope: {error: {code, message, details}, request_id}; " +
        "x-error-codes lists the codes.",
      transform: transformDocument
    })
  ) {}
