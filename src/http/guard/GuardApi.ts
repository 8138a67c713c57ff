import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { EntryType, GuardList } from "../../domain/guard/GuardSettings.ts"
import { OptionalIdempotencyKey, RequireJson } from "../RequestGuards.ts"
import { AlarmResource, EntryResource, GuardResource, GuardSettingsResource } from "./GuardSchemas.ts"
import {
  changed,
  conflict,
  invalid,
  keyErrors,
  listingAt,
  manageGroup,
  notFound,
  summary
} from "../wire/Endpoints.ts"
import { pageOf, pageQuery } from "../wire/ManageWire.ts"
import { undeclaredBodyErrors } from "../wire/UndeclaredInput.ts"
import { EntryBody, GuardBody, GuardChangeBody } from "../../services/guard/GuardActions.ts"

const list = { list: GuardList }

export class GuardGroup extends manageGroup(
  "guard",
  "/v1/manage/guard",
  { title: "Management: guard" },
  HttpApiEndpoint.get("read", "/", { success: GuardResource }).annotateMerge(
    summary("Read the guard: settings, state, open alarms, and what it refused or would have")
  ),
  HttpApiEndpoint.put("replace", "/", { payload: GuardBody, success: GuardSettingsResource, error: changed })
    .annotateMerge(summary("Save the guard's settings; absent ones become the defaults"))
    .middleware(RequireJson),
  HttpApiEndpoint.patch("update", "/", {
    payload: GuardChangeBody,
    success: GuardSettingsResource,
    error: changed
  })
    .annotateMerge(summary("Change some of the guard's settings"))
    .middleware(RequireJson),
  listingAt("alarms", "/alarms", AlarmResource, "List alarms, the newest first", pageQuery("guard_alarms")),
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
) {}
