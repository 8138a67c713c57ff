import { Clock, Context, Effect, Layer, Option, type Redacted } from "effect"
import { type ServiceUnavailable, type TooManySignIns, Unauthenticated } from "../../domain/Errors.ts"
import type { ConsoleSession } from "../../domain/people/ConsoleSession.ts"
import type { Origin } from "../resources/ManagementWrites.ts"
import { ConsoleSessions, type StartedSession } from "./ConsoleSessions.ts"
import { makeSignInLog } from "./SignInLog.ts"
import { type GivenPassword, SignIns } from "./SignIns.ts"

/** People who sign in to the console, and out of it. */
export class ConsoleSignIns extends Context.Service<
  ConsoleSignIns,
  {
    /** Under the limits of every sign-in with a password. */
    readonly signIn: (
      given: GivenPassword,
      origin: Origin
    ) => Effect.Effect<StartedSession, Unauthenticated | TooManySignIns | ServiceUnavailable>
    readonly signInByLink: (
      link: Redacted.Redacted,
      origin: Origin
    ) => Effect.Effect<StartedSession, Unauthenticated>
    readonly signOut: (session: ConsoleSession, origin: Origin) => Effect.Effect<void>
    readonly signOutEverywhere: (session: ConsoleSession, origin: Origin) => Effect.Effect<void>
  }
>()("peyk/services/access/ConsoleSignIns") {
  static readonly layer = Layer.effect(
    ConsoleSignIns,
    Effect.gen(function* () {
      const signIns = yield* SignIns
      const sessions = yield* ConsoleSessions
      const log = yield* makeSignInLog

      return ConsoleSignIns.of({
        signIn: (given, origin) => signIns.signInWith(given, origin, sessions.start),

        signInByLink: Effect.fnUntraced(function* (link, origin) {
          const started = yield* sessions.startByLink(link, yield* Clock.currentTimeMillis)
          if (Option.isNone(started)) return yield* new Unauthenticated()
          yield* log("sign_in", started.value.session.user, origin, { by: "link" })
          return started.value
        }),

        signOut: Effect.fnUntraced(function* ({ id, user }, origin) {
          yield* sessions.end(id)
          yield* log("sign_out", user, origin, { session_id: id })
        }),

        signOutEverywhere: Effect.fnUntraced(function* ({ user }, origin) {
          yield* sessions.endAll(user.id, yield* Clock.currentTimeMillis)
          yield* log("sign_out_everywhere", user, origin)
        })
      })
    })
  )
}
