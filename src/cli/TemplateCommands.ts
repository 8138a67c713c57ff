import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { placeholders, type Template } from "../domain/Template.ts"
import { Management } from "../services/Management.ts"
import { withManagement } from "./CommandGround.ts"
import { customerFlag } from "./CustomerCommands.ts"
import { printMany, printOne } from "./Output.ts"

const toFields = (template: Template) => ({
  id: template.id,
  name: template.name,
  parameters: placeholders(template.body),
  disabled: template.disabled,
  body: template.body
})

const create = Command.make(
  "create",
  {
    customer: customerFlag,
    name: Flag.String("name"),
    body: Flag.String("body").pipe(Flag.withDescription("The text; placeholders have the form {{name}}"))
  },
  ({ customer, name, body }) =>
    withManagement(
      Effect.gen(function* () {
        yield* printOne(
          toFields(yield* (yield* Management).createTemplate({ customerId: customer, name, body }))
        )
      })
    )
).pipe(Command.withDescription("Create a template"))

const list = Command.make("list", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* printMany((yield* (yield* Management).listTemplates(customer)).map(toFields))
    })
  )
).pipe(Command.withDescription("List a customer's templates"))

export const templateCommand = Command.make("template").pipe(
  Command.withDescription("Texts with placeholders"),
  Command.withSubcommands([create, list])
)
