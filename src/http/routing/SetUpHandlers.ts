import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { toTemplate } from "../account/SetUpWire.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { makeActionHandler } from "../wire/ActionHandlers.ts"
import { CurrentActor } from "../wire/ManageAuth.ts"
import { answerResource, pageRequest, toWirePage } from "../wire/ManageWire.ts"
import { changeTemplate, createTemplate, removeTemplate } from "../../services/message/TemplateActions.ts"
import { TemplateRecords } from "../../services/message/TemplateRecords.ts"
import { saveRouting } from "../../services/routing/RoutingActions.ts"
import { RoutingOrders, type SavedRouting } from "../../services/routing/RoutingOrders.ts"

const toRouting = ({ order, steps, version }: SavedRouting) => ({
  ...(order === "measured" && { order }),
  steps,
  version
})

export const RoutingHandlers = HttpApiBuilder.group(
  Api,
  "routing",
  Effect.fnUntraced(function* (handlers) {
    const routing = yield* RoutingOrders
    const handler = yield* makeActionHandler<RoutingOrders>()
    return handlers.handleAll({
      read: Effect.fnUntraced(function* () {
        const { actor } = yield* CurrentActor
        return answerResource(toRouting(yield* routing.find(actor.customerId)))
      }),

      save: handler(saveRouting, { status: 200, body: toRouting })
    })
  })
)

export const TemplatesHandlers = HttpApiBuilder.group(
  Api,
  "templates",
  Effect.fnUntraced(function* (handlers) {
    const templates = yield* TemplateRecords
    const handler = yield* makeActionHandler<TemplateRecords>()
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { actor } = yield* CurrentActor
        return toWirePage(
          "templates",
          yield* templates.list(actor.customerId, pageRequest("templates", query)),
          toTemplate
        )
      }),

      read: Effect.fnUntraced(function* ({ params }) {
        const { actor } = yield* CurrentActor
        const found = templates.find(actor.customerId, params.id)
        return yield* orEnvelope(Effect.map(found, (template) => answerResource(toTemplate(template))))
      }),

      create: handler(createTemplate, { status: 201, body: toTemplate, isOnce: true }),
      update: handler(changeTemplate, { status: 200, body: toTemplate }),
      remove: handler(removeTemplate, { status: 204 })
    })
  })
)
