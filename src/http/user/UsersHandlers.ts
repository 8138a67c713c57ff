import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { toUser } from "./UsersApi.ts"
import { makeActionHandler } from "../wire/ActionHandlers.ts"
import { CurrentActor } from "../wire/ManageAuth.ts"
import { answerResource, pageRequest, requireOwner, toWirePage } from "../wire/ManageWire.ts"
import type { Workers } from "../../services/concurrency/Workers.ts"
import type { Passwords } from "../../services/user/Passwords.ts"
import { changeUser, createUser, setPassword } from "../../services/user/UserActions.ts"
import { Users } from "../../services/user/Users.ts"

export const UsersHandlers = HttpApiBuilder.group(
  Api,
  "users",
  Effect.fnUntraced(function* (handlers) {
    const users = yield* Users
    const handler = yield* makeActionHandler<Users | Passwords | Workers | SecureRandom.SecureRandom>()
    return handlers.handleAll({
      list: ({ query }) =>
        Effect.gen(function* () {
          yield* requireOwner
          const { actor } = yield* CurrentActor
          return toWirePage("users", yield* users.list(actor.customerId, pageRequest("users", query)), toUser)
        }).pipe(orEnvelope),

      read: ({ params }) =>
        Effect.gen(function* () {
          yield* requireOwner
          const { actor } = yield* CurrentActor
          return answerResource(toUser(yield* users.find(actor.customerId, params.id)))
        }).pipe(orEnvelope),

      create: handler(createUser, { status: 201, body: toUser, isOnce: true }),
      update: handler(changeUser, { status: 200, body: toUser }),
      password: handler(setPassword, { status: 204 })
    })
  })
)
