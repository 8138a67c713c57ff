import { Clock, Effect, Option } from "effect"
import { type Actor, scopeOfRole } from "../../../domain/user/Actor.ts"
import { userActor } from "../../../domain/user/Sessions.ts"
import { ConsoleSessions } from "../../../services/user/ConsoleSessions.ts"
import { csrfOfSession, sessionSecret } from "../../console/frame/Cookies.ts"
import type { Visit } from "../../console/frame/Visit.ts"

/** The visitor who is signed in to the console in the same browser. */
export interface Person {
  readonly actor: Actor
  readonly csrf: string
}

/** Null: nobody, which is enough to look. */
export const personOf = Effect.fnUntraced(function* (visit: Visit) {
  const secret = sessionSecret(visit)
  if (secret === null) return null
  const session = yield* (yield* ConsoleSessions).use(secret, yield* Clock.currentTimeMillis)
  if (Option.isNone(session)) return null
  const { id, user } = session.value
  const person: Person = {
    actor: userActor(user, scopeOfRole(user.role), id),
    csrf: csrfOfSession(secret)
  }
  return person
})
