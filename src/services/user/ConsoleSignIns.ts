import { Clock, Context, Effect, Layer, Option, type Redacted } from "effect"
import { type ServiceUnavailable, type TooManySignIns, Unauthenticated } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { KnownBrowser } from "../../domain/user/Sessions.ts"
import { normalizeEmail } from "../../domain/user/User.ts"
import type { Origin } from "../ManagementWrites.ts"
import { ConsoleSessions, type StartedSession } from "./ConsoleSessions.ts"
import { type GivenPassword, makeSignInLog, SignIns } from "./SignIns.ts"

/** Whose browser it is: their normalized address, and the epoch of their sessions. */
interface BrowserUser {
  readonly email: string
  readonly epoch: number
}

/**
 * Browsers in which people have signed in before. What they keep is signed, and shows nobody's address. It is worthless
 * for other people, and after the person's next epoch began: by a new password, or a sign-out everywhere.
 */
export class KnownBrowsers extends Context.Service<
  KnownBrowsers,
  {
    /** Whether this (normalized) address has signed in there; the caller compares the epoch. */
    readonly find: (cookie: string, email: string, now: Instant) => KnownBrowser | null
    /** The next cookie of a browser in which this user has signed in. */
    readonly remember: (cookie: string | null, user: BrowserUser, now: Instant) => Effect.Effect<string>
  }
>()("peyk/services/user/ConsoleSignIns/KnownBrowsers") {}

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
>()("peyk/services/user/ConsoleSignIns") {
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
