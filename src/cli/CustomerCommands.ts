import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Plan } from "../domain/Customer.ts"
import { formatInstant } from "../domain/Instant.ts"
import { type Customer, Management } from "../services/Management.ts"
import { withManagement } from "./CommandGround.ts"
import { printMany, printOne } from "./Output.ts"

const toFields = ({ id, name, plan, createdAt }: Customer) => ({
  id,
  name,
  plan,
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

export const customerCommand = Command.make("customer").pipe(
  Command.withDescription("Customers"),
  Command.withSubcommands([create, list])
)

/** `--customer ID`, for every command that is about one. */
export const customerFlag = Flag.Int("customer").pipe(Flag.withDescription("The customer's id"))
