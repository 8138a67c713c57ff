import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { RoutingStep } from "../../domain/customer/Customer.ts"
import { RequireJson } from "../RequestGuards.ts"
import { errors } from "../errors/SendErrors.ts"
import { manageGroup, summary } from "../wire/Endpoints.ts"
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

export class RoutingGroup extends manageGroup(
  "routing",
  "/v1/manage/routing",
  { title: "Management: routing" },
  HttpApiEndpoint.get("read", "/", { success: Routing }).annotateMerge(
    summary("Read the default routing order; version 0 where none is saved")
  ),
  HttpApiEndpoint.put("save", "/", {
    payload: RoutingBody,
    success: Routing,
    error: errors(
      "precondition_failed",
      "invalid_channel",
      "channel_unavailable",
      "duplicate_channel",
      "shared_sender_not_allowed",
      "shared_sender_unavailable",
      "template_not_found",
      "template_invalid"
    )
  })
    .annotateMerge(summary("Save the default routing order"))
    .middleware(RequireJson)
) {}
