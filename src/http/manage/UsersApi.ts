import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant, formatNullableInstant } from "../../domain/Instant.ts"
import { Role } from "../../domain/user/Actor.ts"
import type { Member } from "../../domain/user/User.ts"
import { RequireJson } from "../RequestGuards.ts"
import { documentedError } from "../errors/Envelope.ts"
import { PathUuid } from "./SearchFields.ts"
import {
  changeUser,
  createUser,
  NewUserBody,
  PasswordBody,
  setPassword,
  UserChangeBody,
  Users
} from "../../services/user/Users.ts"
import { resetSecondFactor } from "../../services/user/SecondFactorActions.ts"
import {
  changing,
  conflict,
  creating,
  handlersOf,
  listing,
  manageGroup,
  notFound,
  reading,
  summary
} from "./Endpoints.ts"
import { forOwners, found, handler, listed } from "./Handlers.ts"
import { pageQuery } from "./ManageWire.ts"

const UserResource = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  name: Schema.String,
  role: Role,
  active: Schema.Boolean,
  status: Schema.Literals(["active", "disabled"]),
  created_at: Timestamp,
  disabled_at: Schema.NullOr(Timestamp),
  last_sign_in_at: Schema.NullOr(Timestamp),
  second_factor: Schema.Boolean.annotateKey({ description: "Whether they sign in with a second factor." }),
  invited_by: Schema.NullOr(Schema.String).annotateKey({
    description: "The id of the user or operator who created them; null: a token or the command line."
  })
}).annotate({ identifier: "User" })

export const toUser = (user: Member): typeof UserResource.Type => ({
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  active: user.disabledAt === null,
  status: user.disabledAt === null ? "active" : "disabled",
  created_at: formatInstant(user.createdAt),
  disabled_at: formatNullableInstant(user.disabledAt),
  last_sign_in_at: formatNullableInstant(user.lastSignInAt),
  second_factor: user.hasSecondFactor,
  invited_by: user.invitedBy
})

const tooMany = documentedError("too_many_sign_ins")

export class UsersGroup extends manageGroup(
  "users",
  "/v1/manage/users",
  { title: "Management: users", description: "For owners." },
  listing(UserResource, "List users, the newest first", pageQuery("users")),
  creating(NewUserBody, UserResource, "Create a user, who signs in with this password", [conflict, tooMany]),
  reading(PathUuid, UserResource, "Read a user"),
  changing(PathUuid, UserChangeBody, UserResource, "Change a user's name or role, disable or enable them", [
    notFound,
    conflict
  ]),
  HttpApiEndpoint.put("password", "/:id/password", {
    params: { id: PathUuid },
    payload: PasswordBody,
    success: HttpApiSchema.Empty(204),
    error: [notFound, tooMany]
  })
    .annotateMerge(summary("Set a user's password; they are signed out everywhere"))
    .middleware(RequireJson),
  HttpApiEndpoint.delete("resetSecondFactor", "/:id/second-factor", {
    params: { id: PathUuid },
    success: HttpApiSchema.Empty(204),
    error: [notFound]
  }).annotateMerge(summary("Remove a user's second factor; they are signed out everywhere"))
) {}

export const UsersHandlers = handlersOf(UsersGroup, (handlers) =>
  handlers.handleAll({
    list: forOwners(
      listed("users", (customerId, page) => Users.use((users) => users.list(customerId, page)), toUser)
    ),
    read: forOwners(found(Users, toUser)),
    create: handler(createUser, { status: 201, body: toUser, isOnce: true }),
    update: handler(changeUser, { status: 200, body: toUser }),
    password: handler(setPassword, { status: 204 }),
    resetSecondFactor: handler(resetSecondFactor, { status: 204 })
  })
)
