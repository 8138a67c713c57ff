import { Effect, Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { RoutingStep } from "../../domain/customer/Customer.ts"
import { RequireJson } from "../RequestGuards.ts"
import { errors } from "../errors/SendErrors.ts"
import { CurrentActor } from "./ManageAuth.ts"
import { pageQuery } from "./ManageWire.ts"
import { restoreRouting, RoutingBody, saveRouting } from "../../services/routing/RoutingActions.ts"
import { RoutingOrders, type SavedRouting } from "../../services/routing/RoutingOrders.ts"
import { acting, handlersOf, listingAt, manageGroup, notFound, summary } from "./Endpoints.ts"
import { respondWithResource, handler, listed } from "./Handlers.ts"

const fields = {
  order: Schema.optionalKey(Schema.Literal("measured")).annotateKey({
    description: "Absent: the steps are tried as they stand."
  }),
  steps: Schema.Array(RoutingStep),
  version: Schema.Int
}
const Routing = Schema.Struct(fields).annotate({ identifier: "Routing" })

const RoutingVersionResource = Schema.Struct({
  ...fields,
  saved_at: Timestamp,
  saved_by: Schema.NullOr(Schema.String).annotate({
    description: "The name of who saved it; null: it is not known."
  })
}).annotate({ identifier: "RoutingVersion" })

const refusals = errors(
  "precondition_failed",
  "invalid_channel",
  "channel_unavailable",
  "duplicate_channel",
  "shared_sender_not_allowed",
  "shared_sender_unavailable",
  "template_not_found",
  "template_invalid"
)

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
    error: refusals
  })
    .annotateMerge(summary("Save the default routing order"))
    .middleware(RequireJson),
  listingAt(
    "versions",
    "/versions",
    RoutingVersionResource,
    "List the routing orders that were saved, the newest first; the last hundred are kept",
    pageQuery("routing_versions")
  ),
  acting("restore", "/versions/:id/restore", Routing, "Save an earlier routing order again", [
    notFound,
    ...refusals
  ])
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
    save: handler(saveRouting, { status: 200, body: toRouting }),
    versions: listed(
      "routing_versions",
      (customerId, page) => RoutingOrders.use((routing) => routing.versions(customerId, page)),
      (version) => ({
        ...toRouting(version),
        saved_at: formatInstant(version.savedAt),
        saved_by: version.savedBy?.name ?? null
      })
    ),
    restore: handler(restoreRouting, { status: 200, body: toRouting })
  })
)
