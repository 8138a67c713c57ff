import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { Plan } from "../domain/people/Customer.ts"
import { HostName } from "../domain/text/HostName.ts"
import { formatInstant } from "../domain/Instant.ts"
import { type Customer, Management } from "../services/resources/Management.ts"
import { withManagement } from "./CommandContext.ts"
import { customerFlag } from "./input/CustomerFlag.ts"
import { customerLimits } from "./LimitCommands.ts"
import { printMany, printOne } from "./output/Output.ts"

const toFields = ({ id, name, plan, webOtpHost, createdAt }: Customer) => ({
  id,
  name,
  plan,
  webotp_host: webOtpHost,
  created_at: formatInstant(createdAt)
})

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("The customer's name")),
    plan: Flag.Literals("plan", Plan.literals).pipe(Flag.withDescription("free, start or business"))
  },
  ({ name, plan }) =>
    withManagement(
      Effect.flatMap(Management, (management) => management.createCustomer(name, plan)).pipe(
        Effect.flatMap((customer) => printOne(toFields(customer)))
      )
    )
).pipe(Command.withDescription("Create a customer"))

const list = Command.make("list", {}, () =>
  withManagement(
    Effect.flatMap(Management, (management) => management.listCustomers).pipe(
      Effect.flatMap((customers) => printMany(customers.map(toFields)))
    )
  )
).pipe(Command.withDescription("List the customers"))

const update = Command.make(
  "update",
  {
    customer: customerFlag,
    name: Flag.String("name").pipe(Flag.withDescription("The customer's name"), Flag.optional),
    plan: Flag.Literals("plan", Plan.literals).pipe(
      Flag.withDescription("free, start or business"),
      Flag.optional
    ),
    webOtpHost: Flag.String("webotp-host").pipe(
      Flag.withDescription("The site that takes codes out of messages by itself (WebOTP); empty for none"),
      Flag.withSchema(Schema.Union([Schema.Literal(""), HostName])),
      Flag.optional
    )
  },
  ({ customer, name, plan, webOtpHost }) =>
    withManagement(
      Effect.gen(function* () {
        const host = Option.getOrUndefined(webOtpHost)
        const changed = yield* (yield* Management).updateCustomer(customer, {
          name: Option.getOrUndefined(name),
          plan: Option.getOrUndefined(plan),
          webOtpHost: host === "" ? null : host
        })
        yield* printOne(toFields(changed))
      })
    )
).pipe(Command.withDescription("Change a customer; what is not named stays as it is"))

export const customerCommand = Command.make("customer").pipe(
  Command.withDescription("Customers"),
  Command.withSubcommands([create, list, update, customerLimits])
)
