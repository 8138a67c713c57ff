import { Effect, Result, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { RoutingStep, StepOrder } from "../../domain/people/Customer.ts"
import { checkNames, stepProblems } from "../../domain/routing/RouteRequest.ts"
import { auditEntriesOf } from "../../services/resources/ManagementWrites.ts"
import { RoutingOrders } from "../../services/resources/RoutingOrders.ts"
import { fieldProblems } from "../../http/errors/SchemaErrors.ts"
import { audited, withManagement } from "../CommandContext.ts"
import { customerFlag, requireCustomer } from "../input/CustomerFlag.ts"
import { CommandError, describeError } from "../output/CommandError.ts"
import { forPerson } from "../output/Errors.ts"
import { printMany } from "../output/Output.ts"
import { refusedAt } from "../../domain/SchemaProblems.ts"
import { textOf } from "../../domain/ProblemTexts.ts"

const entry = auditEntriesOf("routing")

const Steps = Schema.fromJsonString(
  Schema.NonEmptyArray(RoutingStep).check(
    Schema.makeFilter((steps: ReadonlyArray<RoutingStep>) =>
      steps.flatMap((step, index) =>
        stepProblems(step).map(({ path, problem }) => refusedAt([index, ...path], problem))
      )
    ),
    Schema.makeFilter((steps) =>
      Result.match(checkNames(steps, { withTelegram: true }), {
        onSuccess: () => true,
        onFailure: ({ _tag, details }) => `${_tag}: ${JSON.stringify(details)}`
      })
    )
  )
)

const decodeSteps = Schema.decodeUnknownEffect(Steps, { errors: "all", onExcessProperty: "error" })

/** Refuses unknown fields, as the API does: they would have no effect. */
const readSteps = (given: string) =>
  Effect.mapError(decodeSteps(given), ({ issue }) =>
    forPerson({
      message: fieldProblems(issue, "--steps")
        .map(({ path, problem }) => `${path}: ${textOf(problem)}`)
        .join("; ")
    })
  )

/** The rarer columns appear only if a step has them. */
const toFields = (
  { channel, account_id, wait, sender, template_id }: RoutingStep,
  _index: number,
  steps: ReadonlyArray<RoutingStep>
) => ({
  channel,
  account_id: account_id ?? null,
  wait: wait ?? null,
  ...(steps.some((step) => step.sender !== undefined) ? { sender: sender ?? null } : {}),
  ...(steps.some((step) => step.template_id !== undefined) ? { template_id: template_id ?? null } : {})
})

const inWords = (error: Effect.Error<ReturnType<RoutingOrders["Service"]["save"]>>) => {
  if (error._tag === "validation_error") return describeError(error)
  return new CommandError({
    message: "details" in error ? `${error._tag}: ${JSON.stringify(error.details)}` : error._tag
  })
}

const set = Command.make(
  "set",
  {
    customer: customerFlag,
    steps: Flag.String("steps").pipe(
      Flag.withDescription('The order, e.g. [{"channel":"bale"},{"channel":"sms","wait":45}]'),
      Flag.mapEffect(readSteps)
    ),
    order: Flag.Literals("order", StepOrder.literals).pipe(
      Flag.withDescription(
        "saved: as they stand; measured: the cheapest channel close to the best comes first"
      ),
      Flag.withDefault("saved")
    )
  },
  ({ customer, steps, order }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        yield* audited(customer, (yield* RoutingOrders).save(customer, steps, null, order), () =>
          entry("save", customer, { order, steps })
        ).pipe(Effect.mapError(inWords))
        yield* printMany(steps.map(toFields))
      })
    )
).pipe(Command.withDescription("Save a customer's default routing order"))

const showOrder = Command.make("show", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* requireCustomer(customer)
      const { order, steps } = yield* (yield* RoutingOrders).find(customer)
      const shown = order === "measured" ? { order } : {}
      yield* printMany(steps.map(toFields).map((step) => ({ ...step, ...shown })))
    })
  )
).pipe(Command.withDescription("Show a customer's default routing order"))

export const routingCommand = Command.make("routing").pipe(Command.withSubcommands([set, showOrder]))
