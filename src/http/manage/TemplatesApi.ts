import { Result, Schema } from "effect"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { textOrNull } from "../../domain/ProblemTexts.ts"
import { checkCodeTemplate, placeholders, templateProblem } from "../../domain/message/Template.ts"
import {
  changeTemplate,
  createTemplate,
  NewTemplate,
  removeTemplate,
  TemplateChangeBody
} from "../../services/message/TemplateActions.ts"
import { type TemplateRecord, TemplateRecords } from "../../services/message/Templates.ts"
import {
  changed,
  changing,
  conflict,
  creating,
  handlersOf,
  listing,
  manageGroup,
  notFound,
  reading,
  removing
} from "./Endpoints.ts"
import { found, handler, listed } from "./Handlers.ts"
import { PathId, pageQuery } from "./ManageWire.ts"

const TemplateResource = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  body: Schema.String,
  active: Schema.Boolean,
  placeholders: Schema.Array(Schema.String),
  problem: Schema.NullOr(Schema.String).annotateKey({ description: "Why the text cannot be used." }),
  carries_codes: Schema.Boolean,
  created_at: Timestamp,
  version: Schema.Int
}).annotate({ identifier: "Template" })

export class TemplatesGroup extends manageGroup(
  "templates",
  "/v1/manage/templates",
  { title: "Management: templates" },
  listing(TemplateResource, "List templates", pageQuery("templates")),
  creating(NewTemplate, TemplateResource, "Create a template"),
  reading(PathId, TemplateResource, "Read a template"),
  changing(PathId, TemplateChangeBody, TemplateResource, "Change a template, or switch it off", [
    notFound,
    changed
  ]),
  removing(
    "remove",
    "Delete a template",
    [notFound, changed, conflict],
    "409 conflict while a step of the routing order names it; see details.reason."
  )
) {}

const toTemplate = (template: TemplateRecord) => ({
  id: template.id,
  name: template.name,
  body: template.body,
  active: template.active,
  placeholders: placeholders(template.body),
  problem: textOrNull(templateProblem(template.body)),
  carries_codes: Result.isSuccess(checkCodeTemplate({ ...template, active: true })),
  created_at: formatInstant(template.createdAt),
  version: template.version
})

export const TemplatesHandlers = handlersOf(TemplatesGroup, (handlers) =>
  handlers.handleAll({
    list: listed(
      "templates",
      (customerId, page) => TemplateRecords.use((templates) => templates.list(customerId, page)),
      toTemplate
    ),
    read: found(TemplateRecords, toTemplate),
    create: handler(createTemplate, { status: 201, body: toTemplate, isOnce: true }),
    update: handler(changeTemplate, { status: 200, body: toTemplate }),
    remove: handler(removeTemplate, { status: 204 })
  })
)
