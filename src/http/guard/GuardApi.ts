import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { EntryType, GuardList } from "../../domain/guard/GuardSettings.ts"
import { OptionalIdempotencyKey, RequireJson } from "../RequestGuards.ts"
import { AlarmResource, EntryResource, GuardResource, GuardSettingsResource } from "./GuardSchemas.ts"
import { ManageAuth } from "../wire/ManageAuth.ts"
import {
  changed,
  conflict,
  invalid,
  keyErrors,
  notFound,
  pageOf,
  pageQuery,
  summary
} from "../wire/ManageWire.ts"
import { NoUndeclaredInput, undeclaredBodyErrors } from "../wire/UndeclaredInput.ts"
import { EntryBody, GuardBody, GuardChangeBody } from "../../services/guard/GuardActions.ts"

const list = { list: GuardList }

export class GuardGroup extends HttpApiGroup.make("guard")
  .add(
    HttpApiEndpoint.get("read", "/", { success: GuardResource }).annotateMerge(
      summary("Read the guard: settings, state, open alarms, and what it refused or would have")
    ),
    HttpApiEndpoint.put("replace", "/", {
      payload: GuardBody,
      success: GuardSettingsResource,
      error: changed
    })
      .annotateMerge(summary("Save the guard's settings; absent ones become the defaults"))
      .middleware(RequireJson),
    HttpApiEndpoint.patch("update", "/", {
      payload: GuardChangeBody,
      success: GuardSettingsResource,
      error: changed
    })
      .annotateMerge(summary("Change some of the guard's settings"))
      .middleware(RequireJson),
    HttpApiEndpoint.get("alarms", "/alarms", {
      query: pageQuery("guard_alarms"),
      success: pageOf(AlarmResource),
      error: invalid
    }).annotateMerge(summary("List alarms, the newest first")),
    HttpApiEndpoint.post("clear", "/alarms/:alarm_id/clear", {
      params: { alarm_id: Schema.String },
      success: AlarmResource,
      error: [...undeclaredBodyErrors, notFound]
    }).annotateMerge(summary("End an alarm, and forget what raised it")),
    HttpApiEndpoint.get("entries", "/:list", {
      params: list,
      query: pageQuery("guard_entries"),
      success: pageOf(EntryResource),
      error: invalid
    }).annotateMerge(summary("List the entries of the allow list or the deny list")),
    HttpApiEndpoint.post("add", "/:list", {
      params: list,
      payload: EntryBody,
      success: EntryResource.pipe(HttpApiSchema.status(201)),
      error: [invalid, conflict, ...keyErrors]
    })
      .annotateMerge(summary("Add a phone, a prefix or a network to a list"))
      .middleware(RequireJson)
      .middleware(OptionalIdempotencyKey),
    HttpApiEndpoint.delete("remove", "/:list/:type/:value", {
      params: { ...list, type: EntryType, value: Schema.String },
      success: HttpApiSchema.Empty(204),
      error: [...undeclaredBodyErrors, notFound]
    }).annotateMerge(summary("Remove an entry from a list"))
  )
  .prefix("/v1/manage/guard")
  .middleware(NoUndeclaredInput)
  .middleware(ManageAuth)
  .annotateMerge(OpenApi.annotations({ title: "Management: guard" })) {}
