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
import { codeSendErrors, errors, simulatedCodeErrors } from "../errors/SendErrors.ts"
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
} from "./OtpSchemas.ts"
import { pageOf } from "../manage/ManageWire.ts"
import { phoneFilter, sentList, sentListErrors, sentQuery } from "../manage/SentQuery.ts"

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
      .annotate(Load, "send")
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
      .annotate(Load, "send")
      .middleware(OptionalJson),
    HttpApiEndpoint.post("cancel", "/:verification_id/cancel", {
      params: idParams,
      success: StatusResponse,
      error: errors("not_found", "validation_error", "verification_ended")
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Cancel a verification",
          description: "No further channel is tried. Repeating it returns the same."
        })
      )
      .annotate(Load, "send"),
    HttpApiEndpoint.get("list", "/", {
      query: sentQuery("otp", { phone: phoneFilter, status: Schema.optionalKey(VerificationStatus) }),
      success: pageOf(ListedVerification),
      error: sentListErrors
    })
      .annotateMerge(sentList("List verifications"))
      .annotate(Load, "manage")
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
      .annotate(Load, "send")
      .middleware(OptionalJson),
    HttpApiEndpoint.post("cancel", "/:verification_id/cancel", {
      params: idParams,
      success: SandboxStatusResponse,
      error: errors("not_found", "validation_error", "verification_ended")
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Cancel a simulated verification",
          description: "No further channel is tried. Repeating it returns the same."
        })
      )
      .annotate(Load, "send"),
    HttpApiEndpoint.get("list", "/", {
      query: sentQuery("sandbox_otp", { phone: phoneFilter, status: Schema.optionalKey(VerificationStatus) }),
      success: pageOf(ListedSandboxVerification),
      error: sentListErrors
    })
      .annotateMerge(sentList("List simulated verifications"))
      .annotate(Load, "manage")
  )
  .prefix("/v1/sandbox/otp")
  .annotate(Load, "check")
  .annotate(Subject, "verification")
  .middleware(TestKey)
  .annotateMerge(OpenApi.annotations({ title: "Sandbox" })) {}
