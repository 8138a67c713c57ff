import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Timestamp } from "../../domain/Fields.ts"
import { OptionalIdempotencyKey, RequireJson } from "../RequestGuards.ts"
import { ManageAuth } from "../wire/ManageAuth.ts"
import {
  changed,
  id,
  invalid,
  keyErrors,
  notFound,
  pageOf,
  pageQuery,
  PathId,
  reading,
  removal,
  summary
} from "../wire/ManageWire.ts"
import { NoUndeclaredInput } from "../wire/UndeclaredInput.ts"
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

export class TemplatesGroup extends HttpApiGroup.make("templates")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: pageQuery("templates"),
      success: pageOf(TemplateResource),
      error: invalid
    }).annotateMerge(summary("List templates")),
    HttpApiEndpoint.post("create", "/", {
      payload: NewTemplate,
      success: TemplateResource.pipe(HttpApiSchema.status(201)),
      error: keyErrors
    })
      .annotateMerge(summary("Create a template"))
      .middleware(RequireJson)
      .middleware(OptionalIdempotencyKey),
    reading(PathId, TemplateResource, "Read a template"),
    HttpApiEndpoint.patch("update", "/:id", {
      params: id,
      payload: TemplateChangeBody,
      success: TemplateResource,
      error: [notFound, changed]
    })
      .annotateMerge(summary("Change a template, or switch it off"))
      .middleware(RequireJson),
    removal(
      "Delete a template",
      "409 conflict while a step of the routing order names it; see details.reason."
    )
  )
  .prefix("/v1/manage/templates")
  .middleware(NoUndeclaredInput)
  .middleware(ManageAuth)
  .annotateMerge(OpenApi.annotations({ title: "Management: templates" })) {}
