import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import {
  placeholders,
  type Template,
  TemplateBody,
  TemplateName,
  templateProblem
} from "../domain/message/Template.ts"
import { Management } from "../services/resources/Management.ts"
import { withManagement } from "./CommandContext.ts"
import { customerFlag } from "./input/CustomerFlag.ts"
import { printMany, printOne } from "./output/Output.ts"

const toFields = (template: Template) => ({
  id: template.id,
  name: template.name,
  parameters: placeholders(template.body),
  active: template.active,
  problem: templateProblem(template.body),
  body: template.body
})

const create = Command.make(
  "create",
  {
    customer: customerFlag,
    name: Flag.String("name").pipe(Flag.withSchema(TemplateName)),
    body: Flag.String("body").pipe(
      Flag.withDescription("The text; placeholders have the form {{name}}"),
      Flag.withSchema(TemplateBody)
    )
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

const templateFlag = Flag.Int("template").pipe(Flag.withDescription("The template's id"))

const show = Command.make("show", { template: templateFlag }, ({ template }) =>
  withManagement(
    Effect.gen(function* () {
      yield* printOne(toFields(yield* (yield* Management).findTemplate(template)))
    })
  )
).pipe(Command.withDescription("Show a template"))

const setActive = (name: string, active: boolean, description: string) =>
  Command.make(name, { template: templateFlag }, ({ template }) =>
    withManagement(
      Effect.gen(function* () {
        yield* printOne(toFields(yield* (yield* Management).setTemplateActive(template, active)))
      })
    )
  ).pipe(Command.withDescription(description))

export const templateCommand = Command.make("template").pipe(
  Command.withDescription("Texts with placeholders"),
  Command.withSubcommands([
    create,
    list,
    show,
    setActive("disable", false, "Switch a template off: what names it is refused"),
    setActive("enable", true, "Switch a template on again")
  ])
)
