import { Effect, Result, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { checkNames } from "../../../domain/routing/RouteRequest.ts"
import type { RoutingStep } from "../../../domain/people/Customer.ts"
import { RoutingOrders, type SavedRouting } from "../../../services/resources/RoutingOrders.ts"
import { TemplateRecords } from "../../../services/resources/TemplateRecords.ts"
import { auditEntriesOf } from "../../../services/resources/ManagementWrites.ts"
import { Api } from "../../Api.ts"
import { orEnvelope } from "../../errors/Envelope.ts"
import { templateIdOf } from "../../otp/SendRequests.ts"
import { CurrentActor } from "../access/ManageAuth.ts"
import { answerResource, expectedVersion, makeWrite, pageRequest, toWirePage } from "../wire/ManageWire.ts"
import type { RoutingBody } from "./RoutingApi.ts"
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

const templateEntry = auditEntriesOf("template")

export const TemplatesHandlers = HttpApiBuilder.group(
  Api,
  "templates",
  Effect.fnUntraced(function* (handlers) {
    const templates = yield* TemplateRecords
    const write = yield* makeWrite
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { actor } = yield* CurrentActor
        return toWirePage(
          "templates",
          yield* templates.list(actor.customerId, pageRequest("templates", query)),
          toTemplate
        )
      }),

      create: ({ payload }) =>
        write(
          { operation: "template.create", status: 201, idempotentBody: payload },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            const created = yield* templates.create(actor.customerId, payload)
            return {
              body: toTemplate(created),
              audit: templateEntry("create", created.id, { name: payload.name })
            }
          })
        ).pipe(orEnvelope),

      read: Effect.fnUntraced(function* ({ params }) {
        const { actor } = yield* CurrentActor
        const found = templates.find(actor.customerId, params.id)
        return yield* orEnvelope(Effect.map(found, (template) => answerResource(toTemplate(template))))
      }),

      update: ({ params, payload }) =>
        write(
          { operation: "template.update", status: 200 },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            const version = yield* expectedVersion
            const change = {
              name: payload.name ?? undefined,
              body: payload.body ?? undefined,
              active: payload.active ?? undefined
            }
            const updated = yield* templates.update(actor.customerId, params.id, change, version)
            const details = {
              ...Struct.omit(payload, ["body"]),
              ...(change.body === undefined ? {} : { body: "replaced" })
            }
            return { body: toTemplate(updated), audit: templateEntry("update", updated.id, details) }
          })
        ).pipe(orEnvelope),

      remove: ({ params }) =>
        write(
          { operation: "template.remove", status: 204 },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            yield* templates.remove(actor.customerId, params.id, yield* expectedVersion)
            return { body: null, audit: templateEntry("remove", params.id) }
          })
        ).pipe(orEnvelope)
    })
  })
)
