import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { actionCommand, customerCommand, ofCustomer, oneOf, printAll, showCommand } from "../ActionCommand.ts"
import { nameFlag } from "../input/Flags.ts"
import { printOne } from "../output/Output.ts"
import { TemplateText } from "../../domain/Fields.ts"
import { textOrNull } from "../../domain/ProblemTexts.ts"
import { placeholders, type Template, templateProblem } from "../../domain/message/Template.ts"
import { changeTemplate, createTemplate, removeTemplate } from "../../services/message/TemplateActions.ts"
import { TemplateRecords } from "../../services/message/Templates.ts"

const toFields = (template: Template) => ({
  id: template.id,
  name: template.name,
  parameters: placeholders(template.body),
  active: template.active,
  problem: textOrNull(templateProblem(template.body)),
  body: template.body
})

const print = (template: Template) => printOne(toFields(template))

const bodyFlag = Flag.String("body").pipe(
  Flag.withDescription("The text; placeholders have the form {{name}}"),
  Flag.withSchema(TemplateText)
)

const oneTemplate = oneOf(
  "template",
  Flag.Int("template").pipe(Flag.withDescription("The template's id")),
  (template) => TemplateRecords.use((templates) => templates.ownerOf(template))
)

const create = actionCommand("create", "Create a template", createTemplate, ofCustomer, {
  flags: { name: nameFlag("The template's name"), body: bodyFlag },
  print
})

const list = customerCommand("list", "List a customer's templates", (customer) =>
  printAll((part) => TemplateRecords.use((templates) => templates.list(customer, part)), toFields)
)

const show = showCommand("Show a template", oneTemplate, ({ customer, target, refused }) =>
  TemplateRecords.use((templates) => templates.find(customer, target)).pipe(
    Effect.mapError(refused),
    Effect.flatMap(print)
  )
)

const update = actionCommand("update", "Change a template's name or text", changeTemplate, oneTemplate, {
  flags: { name: Flag.optional(nameFlag("Its new name")), body: Flag.optional(bodyFlag) },
  print
})

const setActive = (name: string, active: boolean, description: string) =>
  actionCommand(name, description, changeTemplate, oneTemplate, {
    input: () => Effect.succeed({ active }),
    print
  })

const remove = actionCommand(
  "delete",
  "Delete a template that the routing order does not name",
  removeTemplate,
  oneTemplate,
  { print: (_, { target }) => printOne({ id: target, deleted: true }) }
)

const templateCommand = Command.make("template").pipe(
  Command.withSubcommands([
    create,
    list,
    show,
    update,
    setActive("disable", false, "Disable a template: requests that name it are refused"),
    setActive("enable", true, "Enable a template again"),
    remove
  ])
)

export const commands = { template: templateCommand }
