import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { documentedError } from "./Envelope.ts"
import { type ErrorCode, errorTable } from "./ErrorTable.ts"
import {
  SandboxSendBody,
  SandboxStatusResponse,
  SendBody,
  SendResponse,
  StatusResponse,
  VerificationId,
  VerifyBody,
  VerifyResponse
} from "./OtpSchemas.ts"
import { RequireIdempotencyKey, RequireJson } from "./RequestGuards.ts"
import { LiveKey, TestKey } from "./ServiceKeys.ts"

const errors = (...codes: ReadonlyArray<ErrorCode>) => codes.map(documentedError)

const nameErrors: ReadonlyArray<ErrorCode> = ["invalid_phone", "invalid_channel", "duplicate_channel"]

const sendErrors: ReadonlyArray<ErrorCode> = [
  ...nameErrors,
  "idempotency_key_conflict",
  "idempotency_key_in_progress",
  "fallback_order_required",
  "no_credentials",
  "channel_unavailable",
  "channel_ambiguous",
  "channel_account_not_found",
  "channel_account_mismatch",
  "shared_sender_not_allowed",
  "shared_sender_unavailable",
  "sms_message_config_missing",
  "template_not_found",
  "template_invalid",
  "too_many_requests_phone_hour",
  "too_many_requests_phone_day",
  "quota_exceeded",
  "insufficient_balance"
]

const idParams = { verification_id: VerificationId }

export class OtpGroup extends HttpApiGroup.make("otp")
  .add(
    HttpApiEndpoint.post("send", "/send", {
      headers: {
        "idempotency-key": Schema.String.annotate({
          description: "Unique per request; at most 255 characters."
        })
      },
      payload: SendBody,
      success: HttpApiSchema.WithHeaders(SendResponse, {
        "idempotency-replayed": Schema.optionalKey(Schema.Literal("true"))
      }),
      error: errors(...sendErrors)
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
    }).annotateMerge(OpenApi.annotations({ summary: "Read a verification" }))
  )
  .prefix("/v1/otp")
  .middleware(LiveKey)
  .annotateMerge(OpenApi.annotations({ title: "Verification" })) {}

export class SandboxGroup extends HttpApiGroup.make("sandbox")
  .add(
    HttpApiEndpoint.post("send", "/send", {
      payload: SandboxSendBody,
      success: SendResponse,
      error: errors(...nameErrors)
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
    }).annotateMerge(OpenApi.annotations({ summary: "Read a simulated verification" }))
  )
  .prefix("/v1/sandbox/otp")
  .middleware(TestKey)
  .annotateMerge(OpenApi.annotations({ title: "Sandbox" })) {}

const Health = Schema.Struct({ status: Schema.Literal("ok") })

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
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "System" })) {}

/** Every code of the envelope with its status, also those that the whole API shares or that come with later endpoints. */
const listErrorCodes = (spec: Record<string, unknown>) => ({
  ...spec,
  "x-error-codes": Object.fromEntries(
    Object.entries(errorTable).map(([code, { status, message }]) => [code, { status, message }])
  )
})

export class Api extends HttpApi.make("peyk")
  .add(OtpGroup)
  .add(SandboxGroup)
  .add(SystemGroup)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Peyk",
      version: "1",
      description:
        "Delivers one-time codes to Iranian phones over messengers and SMS, falling back from channel to channel " +
        "until the code is verified. Every error is an envelope: {error: {code, message, details}, request_id}; " +
        "x-error-codes lists the codes.",
      transform: listErrorCodes
    })
  ) {}
