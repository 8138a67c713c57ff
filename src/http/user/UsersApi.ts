import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant, formatNullableInstant } from "../../domain/Instant.ts"
import { Role } from "../../domain/user/Actor.ts"
import type { UserRecord } from "../../domain/user/User.ts"
import { RequireJson } from "../RequestGuards.ts"
import { documentedError } from "../errors/Envelope.ts"
import { ManageAuth } from "../wire/ManageAuth.ts"
import {
  conflict,
  invalid,
  keyErrors,
  notFound,
  pageOf,
  pageQuery,
  reading,
  summary
} from "../wire/ManageWire.ts"
import { PathUuid } from "../wire/SearchFields.ts"
import { NoUndeclaredInput } from "../wire/UndeclaredInput.ts"
import { NewUserBody, PasswordBody, UserChangeBody } from "../../services/user/UserActions.ts"

const UserResource = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  name: Schema.String,
  role: Role,
  active: Schema.Boolean,
  status: Schema.Literals(["active", "disabled"]),
  created_at: Timestamp,
  disabled_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "User" })

export const toUser = (user: UserRecord): typeof UserResource.Type => ({
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  active: user.disabledAt === null,
  status: user.disabledAt === null ? "active" : "disabled",
  created_at: formatInstant(user.createdAt),
  disabled_at: formatNullableInstant(user.disabledAt)
})

const id = { id: PathUuid }
const tooMany = documentedError("too_many_sign_ins")

export class UsersGroup extends HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: pageQuery("users"),
      success: pageOf(UserResource),
      error: invalid
    }).annotateMerge(summary("List users, the newest first")),
    HttpApiEndpoint.post("create", "/", {
      payload: NewUserBody,
      success: UserResource.pipe(HttpApiSchema.status(201)),
      error: [conflict, ...keyErrors, tooMany]
    })
      .annotateMerge(summary("Create a user, who signs in with this password"))
      .middleware(RequireJson),
    reading(PathUuid, UserResource, "Read a user"),
    HttpApiEndpoint.patch("update", "/:id", {
      params: id,
      payload: UserChangeBody,
      success: UserResource,
      error: [notFound, conflict]
    })
      .annotateMerge(summary("Change a user's name or role, disable or enable them"))
      .middleware(RequireJson),
    HttpApiEndpoint.put("password", "/:id/password", {
      params: id,
      payload: PasswordBody,
      success: HttpApiSchema.Empty(204),
      error: [notFound, tooMany]
    })
      .annotateMerge(summary("Set a user's password; they are signed out everywhere"))
      .middleware(RequireJson)
  )
  .prefix("/v1/manage/users")
  .middleware(NoUndeclaredInput)
  .middleware(ManageAuth)
  .annotateMerge(OpenApi.annotations({ title: "Management: users", description: "For owners." })) {}
