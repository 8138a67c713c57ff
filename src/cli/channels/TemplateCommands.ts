import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { placeholders, type Template, templateProblem } from "../../domain/message/Template.ts"
import { TemplateText } from "../../domain/Fields.ts"
import { auditEntriesOf } from "../../services/resources/ManagementWrites.ts"
import { TemplateRecords } from "../../services/resources/TemplateRecords.ts"
import { audited, withManagement } from "../CommandContext.ts"
import { customerFlag, requireCustomer } from "../input/CustomerFlag.ts"
import { nameFlag } from "../input/NameFlag.ts"
import { CommandError, describeError } from "../output/CommandError.ts"
import { printMany, printOne } from "../output/Output.ts"
import { listAll } from "../output/Pages.ts"
import { textOrNull } from "../../domain/ProblemTexts.ts"

const entry = auditEntriesOf("template")

const noTemplate = (id: number) => () => new CommandError({ message: `there is no template ${id}` })

const toFields = (template: Template) => ({
  id: template.id,
  name: template.name,
  parameters: placeholders(template.body),
  active: template.active,
  problem: textOrNull(templateProblem(template.body)),
  body: template.body
})

const create = Command.make(
  "create",
  {
    customer: customerFlag,
    name: nameFlag("The template's name"),
    body: Flag.String("body").pipe(
      Flag.withDescription("The text; placeholders have the form {{name}}"),
      Flag.withSchema(TemplateText)
    )
  },
  ({ customer, name, body }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const created = yield* audited(
          customer,
          (yield* TemplateRecords).create(customer, { name, body }),
          ({ id }) => entry("create", id, { name })
        )
        yield* printOne(toFields(created))
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

const templateFlag = Flag.Int("template").pipe(Flag.withDescription("The template's id"))

const show = Command.make("show", { template: templateFlag }, ({ template }) =>
  withManagement(
    Effect.gen(function* () {
      const templates = yield* TemplateRecords
      const customer = yield* templates.ownerOf(template)
      yield* printOne(toFields(yield* templates.find(customer, template)))
    }).pipe(Effect.mapError(noTemplate(template)))
  )
).pipe(Command.withDescription("Show a template"))

const setActive = (name: string, active: boolean, description: string) =>
  Command.make(name, { template: templateFlag }, ({ template }) =>
    withManagement(
      Effect.gen(function* () {
        const templates = yield* TemplateRecords
        const customer = yield* templates.ownerOf(template)
        const changed = yield* audited(
          customer,
          templates.update(customer, template, { active }, null),
          ({ id }) => entry("update", id, { active })
        )
        yield* printOne(toFields(changed))
      }).pipe(Effect.mapError(noTemplate(template)))
    )
  ).pipe(Command.withDescription(description))

const remove = Command.make("delete", { template: templateFlag }, ({ template }) =>
  withManagement(
    Effect.gen(function* () {
      const templates = yield* TemplateRecords
      const customer = yield* templates.ownerOf(template)
      yield* audited(customer, templates.remove(customer, template, null), () => entry("remove", template))
      yield* printOne({ id: template, deleted: true })
    }).pipe(
      Effect.catchTags({
        not_found: noTemplate(template),
        conflict: describeError,
        precondition_failed: Effect.die
      })
    )
  )
).pipe(Command.withDescription("Delete a template that the routing order does not name"))

export const templateCommand = Command.make("template").pipe(
  Command.withSubcommands([
    create,
    list,
    show,
    setActive("disable", false, "Switch a template off: what names it is refused"),
    setActive("enable", true, "Switch a template on again"),
    remove
  ])
)
