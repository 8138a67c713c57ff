import { Clock, Context, Effect, Layer, Option, type Redacted } from "effect"
import { type ServiceUnavailable, type TooManySignIns, Unauthenticated } from "../../domain/Errors.ts"
import { normalizeEmail } from "../../domain/user/User.ts"
import type { Origin } from "../resources/ManagementWrites.ts"
import { ConsoleSessions, type StartedSession } from "./ConsoleSessions.ts"
import { KnownBrowsers } from "./KnownBrowsers.ts"
import { makeSignInLog } from "./SignInLog.ts"
import { type GivenPassword, SignIns } from "./SignIns.ts"

/** What a browser keeps after a sign-in. */
export interface SignedInBrowser extends StartedSession {
  /** It knows the user from now on; null: as before. */
  readonly browser: string | null
}

/** People who sign in to the console. `browser` is what the browser has kept; null: nothing. */
export class ConsoleSignIns extends Context.Service<
  ConsoleSignIns,
  {
    /** Under the limits of every sign-in with a password. */
    readonly signIn: (
      given: GivenPassword,
      origin: Origin,
      browser: string | null
    ) => Effect.Effect<SignedInBrowser, Unauthenticated | TooManySignIns | ServiceUnavailable>
    readonly signInByLink: (
      link: Redacted.Redacted,
      origin: Origin,
      browser: string | null
    ) => Effect.Effect<SignedInBrowser, Unauthenticated>
  }
>()("peyk/services/access/ConsoleSignIns") {
  static readonly layer = Layer.effect(
    ConsoleSignIns,
    Effect.gen(function* () {
      const signIns = yield* SignIns
      const sessions = yield* ConsoleSessions
      const browsers = yield* KnownBrowsers
      const log = yield* makeSignInLog

      /** Not for a link that somebody else made, and may have opened themselves. */
      const remember = Effect.fnUntraced(function* (started: StartedSession, cookie: string | null) {
        const { signedInAt, user, epoch } = started.session
        if (signedInAt === null) return { ...started, browser: null }
        const now = yield* Clock.currentTimeMillis
        return { ...started, browser: yield* browsers.remember(cookie, { email: user.email, epoch }, now) }
      })

      return ConsoleSignIns.of({
        signIn: Effect.fnUntraced(function* (given, origin, cookie) {
          const now = yield* Clock.currentTimeMillis
          const known = cookie === null ? null : browsers.find(cookie, normalizeEmail(given.email), now)
          return yield* remember(yield* signIns.signInWith(given, origin, sessions.start, known), cookie)
        }),

        signInByLink: Effect.fnUntraced(function* (link, origin, cookie) {
          const started = yield* sessions.startByLink(link, yield* Clock.currentTimeMillis)
          if (Option.isNone(started)) return yield* new Unauthenticated()
          const { session, linkMadeBy } = started.value
          yield* log("sign_in", session.user, origin, {
            by: "link",
            ...(linkMadeBy === null ? {} : { made_by: linkMadeBy })
          })
          return yield* remember(started.value, cookie)
        })
      })
    })
  )
}
