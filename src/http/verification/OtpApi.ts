import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ResourceId } from "../../domain/Fields.ts"
import { VerificationStatus } from "../../domain/verification/Verification.ts"
import {
  OptionalIdempotencyKey,
  OptionalJson,
  optionalKey,
  replayed,
  requiredKey,
  RequireIdempotencyKey,
  RequireJson
} from "../RequestGuards.ts"
import { Load, Subject } from "../RouteTable.ts"
import { LiveKey, TestKey } from "../ServiceKeys.ts"
import type { ErrorCode } from "../errors/ErrorTable.ts"
import { codeSendErrors, errors, simulatedCodeErrors } from "../errors/SendErrors.ts"
import {
  ListedSandboxVerification,
  ListedVerification,
  NextBody,
  PreviewResponse,
  SandboxSendBody,
  SandboxStatusResponse,
  SendBody,
  SendResponse,
  StatusResponse,
  VerifyBody,
  VerifyResponse
} from "./OtpSchemas.ts"
import { type ListName, pageOf } from "../manage/ManageWire.ts"
import { phoneFilter, sentList, sentListErrors, sentQuery } from "../manage/SentQuery.ts"

const idParams = { verification_id: ResourceId }

const verify = (summary: string) =>
  HttpApiEndpoint.post("verify", "/verify", {
    payload: VerifyBody,
    success: VerifyResponse,
    error: errors("not_found")
  })
    .annotateMerge(OpenApi.annotations({ summary }))
    .middleware(RequireJson)

const status = <Response extends Schema.Top>(summary: string, response: Response) =>
  HttpApiEndpoint.get("status", "/:verification_id", {
    params: idParams,
    success: response,
    error: errors("not_found", "validation_error")
  }).annotateMerge(OpenApi.annotations({ summary }))

/** A call is refused as a send is, and what a channel costs as what a send costs. */
const nextRefusals = [
  "insufficient_balance",
  "blocked_phone",
  "suspected_fraud",
  "too_many_requests_phone_hour"
] as const

const next = <Response extends Schema.Top>(
  summary: string,
  response: Response,
  refusals: ReadonlyArray<ErrorCode> = []
) =>
  HttpApiEndpoint.post("next", "/:verification_id/next", {
    params: idParams,
    payload: NextBody,
    success: response,
    error: errors("not_found", "no_next_channel", "verification_ended", "invalid_channel", ...refusals)
  })
    .annotateMerge(
      OpenApi.annotations({
        summary,
        description:
          "The channel is tried before the response. With from_sequence, repeating the request skips no channel. " +
          "`channel` names the one to try, as for “Call me” or “By SMS instead”: what it costs above the present hold is held first."
      })
    )
    .annotate(Load, "send")
    .middleware(OptionalJson)

const cancel = <Response extends Schema.Top>(summary: string, response: Response) =>
  HttpApiEndpoint.post("cancel", "/:verification_id/cancel", {
    params: idParams,
    success: response,
    error: errors("not_found", "validation_error", "verification_ended")
  })
    .annotateMerge(
      OpenApi.annotations({
        summary,
        description: "No further channel is tried. Repeating it returns the same."
      })
    )
    .annotate(Load, "send")

const list = <Response extends Schema.Top>(name: ListName, summary: string, listed: Response) =>
  HttpApiEndpoint.get("list", "/", {
    query: sentQuery(name, { phone: phoneFilter, status: Schema.optionalKey(VerificationStatus) }),
    success: pageOf(listed),
    error: sentListErrors
  })
    .annotateMerge(sentList(summary))
    .annotate(Load, "manage")

export class OtpGroup extends HttpApiGroup.make("otp")
  .add(
    HttpApiEndpoint.post("send", "/send", {
      headers: requiredKey,
      payload: SendBody,
      success: HttpApiSchema.WithHeaders(SendResponse, replayed),
      error: errors(...codeSendErrors)
    })
      .annotateMerge(OpenApi.annotations({ summary: "Create a verification and send its code" }))
      .annotate(Load, "send")
      .middleware(RequireJson)
      .middleware(RequireIdempotencyKey),
    HttpApiEndpoint.post("preview", "/preview", {
      payload: SendBody,
      success: PreviewResponse,
      error: errors("invalid_phone")
    })
      .annotateMerge(OpenApi.annotations({ summary: "Preview what a send would do now" }))
      .annotate(Load, "send")
      .middleware(RequireJson),
    verify("Check a code that a user entered"),
    status("Read a verification", StatusResponse),
    next("Try the next channel now", StatusResponse, nextRefusals),
    cancel("Cancel a verification", StatusResponse),
    list("otp", "List verifications", ListedVerification)
  )
  .prefix("/v1/otp")
  .annotate(Load, "check")
  .annotate(Subject, "verification")
  .middleware(LiveKey)
  .annotateMerge(OpenApi.annotations({ title: "Verification" })) {}

export class SandboxGroup extends HttpApiGroup.make("sandbox")
  .add(
    HttpApiEndpoint.post("send", "/send", {
      headers: optionalKey,
      payload: SandboxSendBody,
      success: HttpApiSchema.WithHeaders(SendResponse, replayed),
      error: errors(...simulatedCodeErrors)
    })
      .annotateMerge(OpenApi.annotations({ summary: "Create a simulated verification; its code is 123456" }))
      .annotate(Load, "send")
      .middleware(RequireJson)
      .middleware(OptionalIdempotencyKey),
    verify("Check a code of a simulated verification"),
    status("Read a simulated verification", SandboxStatusResponse),
    next("Try the next channel of a simulated verification now", SandboxStatusResponse),
    cancel("Cancel a simulated verification", SandboxStatusResponse),
    list("sandbox_otp", "List simulated verifications", ListedSandboxVerification)
  )
  .prefix("/v1/sandbox/otp")
  .annotate(Load, "check")
  .annotate(Subject, "verification")
  .middleware(TestKey)
  .annotateMerge(OpenApi.annotations({ title: "Sandbox" })) {}
