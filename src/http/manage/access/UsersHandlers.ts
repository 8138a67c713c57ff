import { Effect, type Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { makesOwner } from "../../../domain/people/Actor.ts"
import { Users } from "../../../services/resources/access/Users.ts"
import { hashingOrigin, Passwords } from "../../../services/access/Passwords.ts"
import { Workers } from "../../../services/concurrency/Workers.ts"
import { auditEntriesOf } from "../../../services/resources/ManagementWrites.ts"
import { Api } from "../../Api.ts"
import { orEnvelope } from "../../errors/Envelope.ts"
import { CurrentActor } from "./ManageAuth.ts"
import {
  answerResource,
  makePreparedWrite,
  makeWrite,
  pageRequest,
  requireFresh,
  requireOwner,
  toWirePage
} from "../wire/ManageWire.ts"
import { toUser } from "./UsersApi.ts"

const entry = auditEntriesOf("user")

export const UsersHandlers = HttpApiBuilder.group(
  Api,
  "users",
  Effect.fnUntraced(function* (handlers) {
    const users = yield* Users
    const passwords = yield* Passwords
    const waiting = (yield* Workers).waitOutside("password")
    const write = yield* makeWrite
    const preparedWrite = yield* makePreparedWrite
    /** Hashed before the transaction, because it takes long. */
    const hashed = (password: Redacted.Redacted) =>
      Effect.flatMap(CurrentActor, ({ actor, origin }) =>
        waiting(passwords.hash(password, hashingOrigin(actor.customerId, origin.ip)))
      )
    return handlers.handleAll({
      list: ({ query }) =>
        Effect.gen(function* () {
          yield* requireOwner
          const { actor } = yield* CurrentActor
          return toWirePage("users", yield* users.list(actor.customerId, pageRequest("users", query)), toUser)
        }).pipe(orEnvelope),

      create: ({ payload: { password, ...fields } }) =>
        Effect.gen(function* () {
          yield* requireOwner
          if (makesOwner(null, { role: fields.role, disabledAt: null })) yield* requireFresh
          const { actor } = yield* CurrentActor
          return yield* preparedWrite(
            // The stored request must not help to guess its password.
            { operation: "user.create", status: 201, idempotentBody: fields },
            hashed(password),
            (passwordHash) =>
              Effect.map(users.create(actor.customerId, { ...fields, passwordHash }), (user) => ({
                body: toUser(user),
                audit: entry("create", user.id, { role: user.role })
              }))
          )
        }).pipe(orEnvelope),

      read: ({ params }) =>
        Effect.gen(function* () {
          yield* requireOwner
          const { actor } = yield* CurrentActor
          return answerResource(toUser(yield* users.find(actor.customerId, params.id)))
        }).pipe(orEnvelope),

      update: ({ params, payload: { name, role, active } }) =>
        Effect.gen(function* () {
          yield* requireOwner
          const { actor } = yield* CurrentActor
          const before = yield* users.find(actor.customerId, params.id)
          const disabledAt = active === true ? null : before.disabledAt
          if (makesOwner(before, { role: role ?? before.role, disabledAt })) yield* requireFresh
          return yield* write(
            { operation: "user.update", status: 200 },
            Effect.map(
              users.update(actor.customerId, params.id, {
                name,
                role,
                isDisabled: active === undefined ? undefined : !active
              }),
              (user) => ({
                body: toUser(user),
                audit: entry("update", user.id, { role, active })
              })
            )
          )
        }).pipe(orEnvelope),

      password: ({ params, payload }) =>
        Effect.gen(function* () {
          yield* requireOwner
          yield* requireFresh
          const { actor, origin } = yield* CurrentActor
          yield* passwords.refuseIfFull(hashingOrigin(actor.customerId, origin.ip))
          yield* users.find(actor.customerId, params.id)
          const passwordHash = yield* hashed(payload.password)
          return yield* write(
            { operation: "user.set_password", status: 204 },
            Effect.map(users.setPassword(actor.customerId, params.id, passwordHash), ({ id }) => ({
              body: null,
              audit: entry("set_password", id)
            }))
          )
        }).pipe(orEnvelope)
    })
  })
)
