import { Effect, Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { RoutingStep } from "../../domain/customer/Customer.ts"
import { RequireJson } from "../RequestGuards.ts"
import { errors } from "../errors/SendErrors.ts"
import { CurrentActor } from "./ManageAuth.ts"
import { RoutingBody, saveRouting } from "../../services/routing/RoutingActions.ts"
import { RoutingOrders, type SavedRouting } from "../../services/routing/RoutingOrders.ts"
import { handlersOf, manageGroup, summary } from "./Endpoints.ts"
import { respondWithResource, handler } from "./Handlers.ts"

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

const toRouting = ({ order, steps, version }: SavedRouting) => ({
  ...(order === "measured" && { order }),
  steps,
  version
})

export const RoutingHandlers = handlersOf(RoutingGroup, (handlers) =>
  handlers.handleAll({
    read: Effect.fnUntraced(function* () {
      const { actor } = yield* CurrentActor
      return respondWithResource(toRouting(yield* (yield* RoutingOrders).find(actor.customerId)))
    }),
    save: handler(saveRouting, { status: 200, body: toRouting })
  })
)
