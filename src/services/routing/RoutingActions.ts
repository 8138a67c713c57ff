import { Effect, Result, Schema } from "effect"
import { fieldError } from "../../domain/Errors.ts"
import { problem } from "../../domain/Problem.ts"
import { LONGEST_WAIT_SECONDS, SHORTEST_WAIT_SECONDS, StepWait } from "../../domain/routing/Waits.ts"
import { MAX_STEPS } from "../../domain/routing/Route.ts"
import { optional, PositiveInt } from "../../domain/Fields.ts"
import { isMaxEntries } from "../../domain/SchemaProblems.ts"
import { type RoutingStep, StepOrder } from "../../domain/customer/Customer.ts"
import { TemplateId, templateIdOf } from "../../domain/message/Template.ts"
import { checkNames, consistentStep } from "../../domain/routing/RouteRequest.ts"
import type { Actor } from "../../domain/user/Actor.ts"
import { action, NoInput, NoTarget } from "../Action.ts"
import { RoutingOrders } from "./RoutingOrders.ts"

const StepBody = Schema.Struct({
  channel: Schema.String.annotate({
    description:
      "eitaa, bale, soroushplus, rubika or sms; with an account of it: voice, and telegram (Telegram Gateway)"
  }),
  account_id: optional(PositiveInt),
  wait: optional(StepWait).annotateKey({
    description: `${SHORTEST_WAIT_SECONDS} to ${LONGEST_WAIT_SECONDS} seconds, or measured: the time in which 90 % of the channel's codes are verified.`
  }),
  sender: optional(Schema.Literal("shared")).annotateKey({
    description: "The platform's account; start plan only."
  }),
  template_id: optional(TemplateId).annotateKey({
    description: "The text of codes on this step, if the request names no template. Messengers only."
  }),
  on_request: optional(Schema.Boolean).annotateKey({
    description:
      "true: never tried by itself, only if a request for the next channel names it. At least one step has to be without it."
  })
}).check(consistentStep)

export const RoutingBody = Schema.Struct({
  order: optional(StepOrder).annotateKey({
    description:
      "saved (default): the steps are tried as they stand; measured: the cheapest channel close to the best comes first."
  }),
  steps: Schema.Array(StepBody)
    .check(isMaxEntries(MAX_STEPS))
    .annotate({ description: "The channels in order; an empty list removes the order." })
}).annotate({ identifier: "NewRouting" })

/** Known channels, each once. */
const knownSteps = (steps: ReadonlyArray<typeof StepBody.Type>) =>
  Result.map(
    checkNames(
      steps.map(({ channel, account_id, wait, sender, template_id, on_request }) => ({
        channel,
        account_id: account_id ?? undefined,
        wait: wait ?? undefined,
        sender: sender ?? undefined,
        template_id: templateIdOf(template_id),
        on_request: on_request === true ? true : undefined
      })),
      () => true
    ),
    (known): ReadonlyArray<RoutingStep> =>
      known.map(({ channel, account_id, wait, sender, template_id, on_request }) => ({
        channel,
        ...(account_id === undefined ? {} : { account_id }),
        ...(wait === undefined ? {} : { wait }),
        ...(sender === undefined ? {} : { sender }),
        ...(template_id === undefined ? {} : { template_id }),
        ...(on_request === undefined ? {} : { on_request })
      }))
  )

/** Known channels, at least one of which is tried by itself. */
const savedSteps = (steps: ReadonlyArray<typeof StepBody.Type>) =>
  Result.gen(function* () {
    if (steps.length > 0 && steps.every(({ on_request }) => on_request === true)) {
      return yield* Result.fail(fieldError("steps", problem("steps_only_on_request")))
    }
    return yield* knownSteps(steps)
  })

const orderBefore = ({ actor: { customerId } }: { readonly actor: Actor }) =>
  Effect.map(
    RoutingOrders.use((routing) => routing.find(customerId)),
    ({ order, steps }) => ({ values: { order, steps } })
  )

/** The customer's default order of channels, in place of the saved one. */
export const saveRouting = action("routing.save", {
  input: RoutingBody,
  target: NoTarget,
  access: "writer",
  before: orderBefore,
  run: ({ actor, version, input: { order, steps } }) =>
    Effect.flatMap(Effect.fromResult(savedSteps(steps)), (known) =>
      RoutingOrders.use((routing) => routing.save(actor.customerId, known, version, order ?? "saved", actor))
    ),
  audit: ({ order, steps }, { actor }) => ({ id: actor.customerId, details: { order, steps } })
})

/** An earlier order again, under the same checks as a new one: its accounts can be gone. */
export const restoreRouting = action("routing.restore", {
  input: NoInput,
  target: PositiveInt,
  access: "writer",
  before: orderBefore,
  run: ({ actor, target, version }) =>
    Effect.gen(function* () {
      const routing = yield* RoutingOrders
      const { steps, order } = yield* routing.version(actor.customerId, target)
      return yield* routing.save(actor.customerId, steps, version, order, actor)
    }),
  audit: ({ order, steps }, { actor, target }) => ({
    id: actor.customerId,
    details: { restored: target, order, steps }
  })
})
