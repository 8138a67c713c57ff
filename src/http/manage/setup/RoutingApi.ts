import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RoutingStep, StepOrder, StepWait } from "../../../domain/people/Customer.ts"
import { consistentStep } from "../../../domain/routing/RouteRequest.ts"
import { documentedError } from "../../errors/Envelope.ts"
import { TemplateId } from "../../otp/OtpSchemas.ts"
import { RequireJson } from "../../RequestGuards.ts"
import { optional, PositiveInt } from "../../../domain/Fields.ts"
import { ManageAuth } from "../access/ManageAuth.ts"
import { NoUndeclaredInput } from "../wire/UndeclaredInput.ts"
import { changed, summary } from "../wire/ManageEndpoints.ts"
import { isMaxEntries } from "../../../domain/SchemaProblems.ts"

const Routing = Schema.Struct({
  order: Schema.optionalKey(Schema.Literal("measured")).annotateKey({
    description: "Absent: the steps are tried as they stand."
  }),
  steps: Schema.Array(RoutingStep),
  version: Schema.Int
}).annotate({
  identifier: "Routing"
})

export const RoutingBody = Schema.Struct({
  order: optional(StepOrder).annotateKey({
    description:
      "saved (default): the steps are tried as they stand; measured: the cheapest channel close to the best comes first."
  }),
  steps: Schema.Array(
    Schema.Struct({
      channel: Schema.String.annotate({
        description: "eitaa, bale, soroushplus, rubika or sms; telegram with an account of Telegram Gateway"
      }),
      account_id: optional(PositiveInt),
      wait: optional(StepWait).annotateKey({
        description:
          "45 to 120 seconds, or measured: the time in which 90 % of the channel's codes are verified."
      }),
      sender: optional(Schema.Literal("shared")).annotateKey({
        description: "The platform's account; start plan only."
      }),
      template_id: optional(TemplateId).annotateKey({
        description: "The text of codes on this step, if the request names no template. Messengers only."
      })
    }).check(consistentStep)
  )
    .check(isMaxEntries(20))
    .annotate({ description: "The channels in order; an empty list removes the order." })
}).annotate({ identifier: "NewRouting" })

export class RoutingGroup extends HttpApiGroup.make("routing")
  .add(
    HttpApiEndpoint.get("read", "/", { success: Routing }).annotateMerge(
      summary("Read the default routing order; version 0 where none is saved")
    ),
    HttpApiEndpoint.put("save", "/", {
      payload: RoutingBody,
      success: Routing,
      error: [
        changed,
        documentedError("invalid_channel"),
        documentedError("channel_unavailable"),
        documentedError("duplicate_channel"),
        documentedError("shared_sender_not_allowed"),
        documentedError("shared_sender_unavailable"),
        documentedError("template_not_found"),
        documentedError("template_invalid")
      ]
    })
      .annotateMerge(summary("Save the default routing order"))
      .middleware(RequireJson)
  )
  .prefix("/v1/manage/routing")
  .middleware(NoUndeclaredInput)
  .middleware(ManageAuth)
  .annotateMerge(OpenApi.annotations({ title: "Management: routing" })) {}
