import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { customerCommand } from "../ActionCommand.ts"
import { operate, withManagement } from "../CommandContext.ts"
import { customerFlag, requireCustomer } from "../input/Flags.ts"
import { CommandError, describeError } from "../output/CommandError.ts"
import { forPerson } from "../output/ErrorOutput.ts"
import { printMany, printOne } from "../output/Output.ts"
import type { DuplicateChannel, ScopeInsufficient } from "../../domain/Errors.ts"
import { PositiveInt } from "../../domain/Fields.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { textOf } from "../../domain/ProblemTexts.ts"
import { type RoutingStep, StepOrder } from "../../domain/customer/Customer.ts"
import { fieldProblems } from "../../http/errors/SchemaErrors.ts"
import { restoreRouting, RoutingBody, saveRouting } from "../../services/routing/RoutingActions.ts"
import { RoutingOrders } from "../../services/routing/RoutingOrders.ts"

const Steps = Schema.fromJsonString(RoutingBody.fields.steps.check(Schema.isMinLength(1)))

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
  { channel, account_id, wait, sender, template_id, on_request }: RoutingStep,
  _index: number,
  steps: ReadonlyArray<RoutingStep>
) => ({
  channel,
  account_id: account_id ?? null,
  wait: wait ?? null,
  ...(steps.some((step) => step.sender !== undefined) ? { sender: sender ?? null } : {}),
  ...(steps.some((step) => step.template_id !== undefined) ? { template_id: template_id ?? null } : {}),
  ...(steps.some((step) => step.on_request === true) ? { on_request: on_request ?? false } : {})
})

type SaveRefusal =
  | Effect.Error<ReturnType<RoutingOrders["Service"]["save"]>>
  | DuplicateChannel
  | ScopeInsufficient

const inWords = (error: SaveRefusal) => {
  if (error._tag === "validation_error") return describeError(error)
  return new CommandError({
    message: `--steps: ${"details" in error ? `${error._tag}: ${JSON.stringify(error.details)}` : error._tag}`
  })
}

/** An empty list removes the order. */
const save = (customer: number, input: typeof RoutingBody.Type) =>
  Effect.mapError(operate(saveRouting, { customer, target: undefined, input }), inWords)

const set = Command.make(
  "set",
  {
    customer: customerFlag,
    steps: Flag.String("steps").pipe(
      Flag.withDescription(
        'The order, e.g. [{"channel":"bale"},{"channel":"sms","wait":45}]; "on_request":true: only if asked for'
      ),
      Flag.mapEffect(readSteps)
    ),
    order: Flag.Literals("order", StepOrder.literals).pipe(
      Flag.withDescription(
        "saved: as they stand; measured: the cheapest channel close to the best comes first"
      ),
      Flag.withDefault("saved")
    )
  },
  ({ customer, ...input }) =>
    withManagement(
      Effect.flatMap(Effect.andThen(requireCustomer(customer), save(customer, input)), ({ steps }) =>
        printMany(steps.map(toFields))
      )
    )
).pipe(Command.withDescription("Save a customer's default routing order"))

const remove = customerCommand(
  "delete",
  "Delete a customer's default routing order: each send then names its channels",
  (customer) =>
    Effect.andThen(save(customer, { steps: [] }), printOne({ customer_id: customer, deleted: true }))
)

const showOrder = customerCommand("show", "Show a customer's default routing order", (customer) =>
  Effect.flatMap(
    RoutingOrders.use((orders) => orders.find(customer)),
    ({ order, steps }) => {
      const shown = order === "measured" ? { order } : {}
      return printMany(steps.map(toFields).map((step) => ({ ...step, ...shown })))
    }
  )
)

const history = Command.make(
  "history",
  {
    customer: customerFlag,
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("How many of the last orders"),
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))),
      Flag.withDefault(20)
    )
  },
  ({ customer, limit }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const page = { limit, after: null }
        const { items } = yield* RoutingOrders.use((orders) => orders.versions(customer, page))
        yield* printMany(
          items.map(({ version, order, steps, savedAt, savedBy }) => ({
            version,
            saved_at: formatInstant(savedAt),
            saved_by: savedBy?.name ?? null,
            order,
            steps: JSON.stringify(steps)
          }))
        )
      })
    )
).pipe(Command.withDescription("List the routing orders that were saved, the newest first"))

const restoreOrder = Command.make(
  "restore",
  {
    customer: customerFlag,
    version: Flag.Int("version").pipe(
      Flag.withDescription("A version that routing history lists"),
      Flag.withSchema(PositiveInt)
    )
  },
  ({ customer, version }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const saved = operate(restoreRouting, { customer, target: version })
        const { steps } = yield* Effect.mapError(saved, (error) =>
          error._tag === "not_found"
            ? new CommandError({ message: `--version: customer ${customer} has no version ${version}` })
            : inWords(error)
        )
        yield* printMany(steps.map(toFields))
      })
    )
).pipe(Command.withDescription("Save an earlier routing order again"))

const routingCommand = Command.make("routing").pipe(
  Command.withSubcommands([set, showOrder, history, restoreOrder, remove])
)

export const commands = { routing: routingCommand }
