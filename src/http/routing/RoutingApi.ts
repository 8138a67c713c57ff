import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RoutingStep } from "../../domain/customer/Customer.ts"
import { RequireJson } from "../RequestGuards.ts"
import { documentedError } from "../errors/Envelope.ts"
import { ManageAuth } from "../wire/ManageAuth.ts"
import { changed, summary } from "../wire/ManageWire.ts"
import { NoUndeclaredInput } from "../wire/UndeclaredInput.ts"
import { RoutingBody } from "../../services/routing/RoutingActions.ts"

const Routing = Schema.Struct({
  order: Schema.optionalKey(Schema.Literal("measured")).annotateKey({
    description: "Absent: the steps are tried as they stand."
  }),
  steps: Schema.Array(RoutingStep),
  version: Schema.Int
}).annotate({
  identifier: "Routing"
})

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
