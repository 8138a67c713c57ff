import { Schema } from "effect"
import { Timestamp } from "../../domain/Fields.ts"
import {
  changed,
  changing,
  conflict,
  creating,
  listing,
  manageGroup,
  notFound,
  reading,
  removing
} from "../wire/Endpoints.ts"
import { pageQuery, PathId } from "../wire/ManageWire.ts"
import { NewTemplate, TemplateChangeBody } from "../../services/message/TemplateActions.ts"

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
