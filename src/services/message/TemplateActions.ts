import { Effect, Schema } from "effect"
import { Name, optional, TemplateText } from "../../domain/Fields.ts"
import type { Actor } from "../../domain/user/Actor.ts"
import { action, NoInput, NoTarget } from "../Action.ts"
import { TemplateRecords } from "./Templates.ts"

export const NewTemplate = Schema.Struct({ name: Name, body: TemplateText }).annotate({
  identifier: "NewTemplate"
})

export const TemplateChangeBody = Schema.Struct({
  name: optional(Name),
  body: optional(TemplateText),
  active: optional(Schema.Boolean)
}).annotate({ identifier: "TemplateChange" })

export const createTemplate = action("template.create", {
  input: NewTemplate,
  target: NoTarget,
  access: "writer",
  run: ({ actor, input }) => TemplateRecords.use((templates) => templates.create(actor.customerId, input)),
  audit: ({ id, name }) => ({ id, name, details: { name } })
})

const templateBefore = ({ actor, target }: { readonly actor: Actor; readonly target: number }) =>
  Effect.map(
    TemplateRecords.use((templates) => templates.find(actor.customerId, target)),
    ({ name, active }) => ({ name, values: { name, active } })
  )

const changesIn = ({ name, body, active }: typeof TemplateChangeBody.Type) => ({
  name: name ?? undefined,
  body: body ?? undefined,
  active: active ?? undefined
})

export const changeTemplate = action("template.update", {
  input: TemplateChangeBody,
  target: Schema.Int,
  access: "writer",
  before: templateBefore,
  run: ({ actor, target, version, input }) =>
    TemplateRecords.use((templates) => templates.update(actor.customerId, target, changesIn(input), version)),
  // The text itself is not logged: it can name people.
  audit: ({ id }, { input }) => {
    const { body, ...details } = changesIn(input)
    return { id, details: body === undefined ? details : { ...details, body: "replaced" } }
  }
})

export const removeTemplate = action("template.remove", {
  input: NoInput,
  target: Schema.Int,
  access: "writer",
  before: templateBefore,
  run: ({ actor, target, version }) =>
    TemplateRecords.use((templates) => templates.remove(actor.customerId, target, version)),
  audit: (_, { target }) => ({ id: target })
})
