import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { operate, withManagement } from "../CommandContext.ts"
import { customerFlag, nameFlag, requireCustomer } from "../input/Flags.ts"
import { refusedAction } from "../output/CommandError.ts"
import { listAll, printMany, printOne } from "../output/Output.ts"
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

const printTemplate = (template: Template) => printOne(toFields(template))

const templateFlag = Flag.Int("template").pipe(Flag.withDescription("The template's id"))

const bodyFlag = Flag.String("body").pipe(
  Flag.withDescription("The text; placeholders have the form {{name}}"),
  Flag.withSchema(TemplateText)
)

/** The customer whose template this is, and the template. */
const ofTemplate = (template: number) =>
  Effect.map(
    TemplateRecords.use((templates) => templates.ownerOf(template)),
    (customer) => ({ customer, target: template })
  )

const create = Command.make(
  "create",
  { customer: customerFlag, name: nameFlag("The template's name"), body: bodyFlag },
  ({ customer, name, body }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const created = operate(createTemplate, { customer, target: undefined, input: { name, body } })
        yield* printTemplate(yield* Effect.mapError(created, refusedAction(`customer ${customer}`)))
      })
    )
).pipe(Command.withDescription("Create a template"))

const list = Command.make("list", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* requireCustomer(customer)
      const { list: page } = yield* TemplateRecords
      const templates = yield* listAll((part) => page(customer, part))
      yield* printMany(templates.map(toFields))
    })
  )
).pipe(Command.withDescription("List a customer's templates"))

const show = Command.make("show", { template: templateFlag }, ({ template }) =>
  withManagement(
    ofTemplate(template).pipe(
      Effect.flatMap(({ customer }) =>
        TemplateRecords.use((templates) => templates.find(customer, template))
      ),
      Effect.mapError(refusedAction(`template ${template}`)),
      Effect.flatMap(printTemplate)
    )
  )
).pipe(Command.withDescription("Show a template"))

const changed = (template: number, input: object) =>
  withManagement(
    ofTemplate(template).pipe(
      Effect.flatMap((of) => operate(changeTemplate, { ...of, input })),
      Effect.mapError(refusedAction(`template ${template}`)),
      Effect.flatMap(printTemplate)
    )
  )

const update = Command.make(
  "update",
  {
    template: templateFlag,
    name: Flag.optional(nameFlag("Its new name")),
    body: Flag.optional(bodyFlag)
  },
  ({ template, name, body }) =>
    changed(template, { name: Option.getOrNull(name), body: Option.getOrNull(body) })
).pipe(Command.withDescription("Change a template's name or text"))

const setActive = (name: string, active: boolean, description: string) =>
  Command.make(name, { template: templateFlag }, ({ template }) => changed(template, { active })).pipe(
    Command.withDescription(description)
  )

const remove = Command.make("delete", { template: templateFlag }, ({ template }) =>
  withManagement(
    ofTemplate(template).pipe(
      Effect.flatMap((of) => operate(removeTemplate, of)),
      Effect.mapError(refusedAction(`template ${template}`)),
      Effect.andThen(printOne({ id: template, deleted: true }))
    )
  )
).pipe(Command.withDescription("Delete a template that the routing order does not name"))

export const templateCommand = Command.make("template").pipe(
  Command.withSubcommands([
    create,
    list,
    show,
    update,
    setActive("disable", false, "Switch a template off: what names it is refused"),
    setActive("enable", true, "Switch a template on again"),
    remove
  ])
)
