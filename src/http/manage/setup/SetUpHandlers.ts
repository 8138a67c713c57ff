import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { checkNames } from "../../../domain/routing/RouteRequest.ts"
import type { RoutingStep } from "../../../domain/people/Customer.ts"
import { RoutingOrders, type SavedRouting } from "../../../services/resources/RoutingOrders.ts"
import { TemplateRecords } from "../../../services/resources/TemplateRecords.ts"
import { auditEntriesOf } from "../../../services/resources/ManagementWrites.ts"
import {
  changeTemplate,
  createTemplate,
  removeTemplate
} from "../../../services/resources/TemplateActions.ts"
import { Api } from "../../Api.ts"
import { orEnvelope } from "../../errors/Envelope.ts"
import { templateIdOf } from "../../otp/SendRequests.ts"
import { CurrentActor } from "../access/ManageAuth.ts"
import { answerResource, expectedVersion, makeWrite, pageRequest, toWirePage } from "../wire/ManageWire.ts"
import type { RoutingBody } from "./RoutingApi.ts"
import { makeActionHandler } from "../wire/ActionHandlers.ts"
import { toTemplate } from "../wire/SetUpWire.ts"

/** Known channels, each once. */
const readSteps = ({ steps }: typeof RoutingBody.Type) =>
  Result.map(
    checkNames(
      steps.map(({ channel, account_id, wait, sender, template_id }) => ({
        channel,
        account_id: account_id ?? undefined,
        wait: wait ?? undefined,
        sender: sender ?? undefined,
        template_id: templateIdOf(template_id)
      })),
      { withTelegram: true }
    ),
    (known): ReadonlyArray<RoutingStep> =>
      known.map(({ channel, account_id, wait, sender, template_id }) => ({
        channel,
        ...(account_id === undefined ? {} : { account_id }),
        ...(wait === undefined ? {} : { wait }),
        ...(sender === undefined ? {} : { sender }),
        ...(template_id === undefined ? {} : { template_id })
      }))
  )

const toRouting = ({ order, steps, version }: SavedRouting) => ({
  ...(order === "measured" && { order }),
  steps,
  version
})

const routingEntry = auditEntriesOf("routing")

export const RoutingHandlers = HttpApiBuilder.group(
  Api,
  "routing",
  Effect.fnUntraced(function* (handlers) {
    const routing = yield* RoutingOrders
    const write = yield* makeWrite
    return handlers.handleAll({
      read: Effect.fnUntraced(function* () {
        const { actor } = yield* CurrentActor
        return answerResource(toRouting(yield* routing.find(actor.customerId)))
      }),

      save: ({ payload }) =>
        write(
          { operation: "routing.save", status: 200 },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            const steps = yield* Effect.fromResult(readSteps(payload))
            const order = payload.order ?? "saved"
            const saved = yield* routing.save(actor.customerId, steps, yield* expectedVersion, order)
            return {
              body: toRouting(saved),
              audit: routingEntry("save", actor.customerId, { order, steps })
            }
          })
        ).pipe(orEnvelope)
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
