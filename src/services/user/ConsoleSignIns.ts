import { Clock, Context, Effect, Layer, Option, type Redacted } from "effect"
import { type ServiceUnavailable, type TooManySignIns, Unauthenticated } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { KnownBrowser } from "../../domain/user/Sessions.ts"
import { normalizeEmail } from "../../domain/user/User.ts"
import type { Origin } from "../ManagementWrites.ts"
import {
  ConsoleSessions,
  isPending,
  type PendingSignIn,
  PendingSignIns,
  type StartedSession
} from "./ConsoleSessions.ts"
import { FactorChecks } from "./FactorChecks.ts"
import { Passkeys, SecondFactors } from "./SecondFactors.ts"
import { type GivenPassword, makeSignInLog, networkOf, SignIns } from "./SignIns.ts"
import type { Candidate } from "./UserSessions.ts"

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

/** A password or a link was right, and a second factor is still to come. */
export interface BegunSignIn extends PendingSignIn {
  readonly browser: null
}

/** What a person gives as their second factor: a code, or what their passkey has signed. */
export type SecondFactorInput = { readonly code: string } | { readonly passkey: string }

/** `ended`: it had its last try, or its time is over; the person signs in again. */
type SecondStep =
  | { readonly step: "done"; readonly signedIn: SignedInBrowser }
  | { readonly step: "wrong"; readonly triesLeft: number }
  | { readonly step: "ended" }

/** What the page of the second step shows. */
export interface SecondStepOffer {
  readonly hasApp: boolean
  /** What the browser asks a passkey with; null: they have none, or none works here. */
  readonly passkeyOptions: string | null
}

type PasswordRefusal = Unauthenticated | TooManySignIns | ServiceUnavailable

/** People who sign in to the console. `browser` is what the browser has kept; null: nothing. */
export class ConsoleSignIns extends Context.Service<
  ConsoleSignIns,
  {
    /** Under the limits of every sign-in with a password. */
    readonly signIn: (
      given: GivenPassword,
      origin: Origin,
      browser: string | null
    ) => Effect.Effect<SignedInBrowser | BegunSignIn, PasswordRefusal>
    readonly signInByLink: (
      link: Redacted.Redacted,
      origin: Origin,
      browser: string | null
    ) => Effect.Effect<SignedInBrowser | BegunSignIn, Unauthenticated>
    /** None: the sign-in has ended. */
    readonly secondStep: (pending: Redacted.Redacted) => Effect.Effect<Option.Option<SecondStepOffer>>
    /** `too_many_sign_ins`: no code of the app is compared now, but recovery codes and passkeys are. */
    readonly completeSignIn: (
      pending: Redacted.Redacted,
      given: SecondFactorInput,
      origin: Origin,
      browser: string | null
    ) => Effect.Effect<SecondStep, TooManySignIns>
  }
>()("peyk/services/user/ConsoleSignIns") {
  static readonly layer = Layer.effect(
    ConsoleSignIns,
    Effect.gen(function* () {
      const signIns = yield* SignIns
      const sessions = yield* ConsoleSessions
      const pendings = yield* PendingSignIns
      const factors = yield* SecondFactors
      const passkeys = yield* Passkeys
      const checks = yield* FactorChecks
      const browsers = yield* KnownBrowsers
      const log = yield* makeSignInLog

      /** Not for a link that somebody else made, and may have opened themselves. */
      const remember = Effect.fnUntraced(function* (started: StartedSession, cookie: string | null) {
        const { signedInAt, user, epoch } = started.session
        if (signedInAt === null) return { ...started, browser: null }
        const now = yield* Clock.currentTimeMillis
        return { ...started, browser: yield* browsers.remember(cookie, { email: user.email, epoch }, now) }
      })

      /** What the browser keeps; a sign-in that is not complete is not in the log, and makes no browser known. */
      const finish = Effect.fnUntraced(function* (
        begun: StartedSession | PendingSignIn,
        origin: Origin,
        cookie: string | null,
        details: Readonly<Record<string, unknown>>
      ) {
        if (isPending(begun)) return { ...begun, browser: null }
        yield* log("sign_in", begun.session.user, origin, details)
        return yield* remember(begun, cookie)
      })

      const byLink = (linkMadeBy: string | null) => (linkMadeBy === null ? {} : { made_by: linkMadeBy })

      const check = (userId: string, given: SecondFactorInput, challenge: string) =>
        "code" in given
          ? checks.checkCode(userId, given.code)
          : checks.checkPasskey(userId, given.passkey, challenge)

      return ConsoleSignIns.of({
        signIn: Effect.fnUntraced(function* (given, origin, cookie) {
          const now = yield* Clock.currentTimeMillis
          const known = cookie === null ? null : browsers.find(cookie, normalizeEmail(given.email), now)
          const start = (candidate: Candidate, at: Instant) =>
            sessions.start(candidate, at, networkOf(origin))
          return yield* finish(yield* signIns.signInWith(given, origin, start, known), origin, cookie, {})
        }),

        signInByLink: Effect.fnUntraced(function* (link, origin, cookie) {
          const now = yield* Clock.currentTimeMillis
          const begun = yield* sessions.startByLink(link, now, networkOf(origin))
          if (Option.isNone(begun)) return yield* new Unauthenticated()
          const madeBy = isPending(begun.value) ? null : begun.value.linkMadeBy
          return yield* finish(begun.value, origin, cookie, { by: "link", ...byLink(madeBy) })
        }),

        secondStep: Effect.fnUntraced(function* (secret) {
          const found = yield* pendings.find(secret, yield* Clock.currentTimeMillis)
          if (Option.isNone(found)) return Option.none()
          const { user, challenge } = found.value
          const { appSince } = yield* factors.stateOf(user.id)
          const known = passkeys.isOffered ? yield* factors.passkeys(user.id) : []
          const passkeyOptions = known.length === 0 ? null : yield* passkeys.requestOptions(known, challenge)
          return Option.some({ hasApp: appSince !== null, passkeyOptions })
        }),

        completeSignIn: Effect.fnUntraced(function* (secret, given, origin, cookie) {
          const ended: SecondStep = { step: "ended" }
          const now = yield* Clock.currentTimeMillis
          const found = yield* pendings.find(secret, now)
          if (Option.isNone(found)) return ended
          const { user, linkMadeBy } = found.value
          const taken = yield* pendings.take(secret, now)
          if (Option.isNone(taken)) return ended
          const { triesLeft, challenge } = taken.value
          const kind = yield* Effect.tapError(check(user.id, given, challenge), () => pendings.refund(secret))
          if (kind === null) {
            yield* log("sign_in_failed", user, origin, { reason: "wrong_second_factor" })
            if (triesLeft === 0) yield* pendings.end(secret)
            return { step: "wrong", triesLeft } as const
          }
          const started = yield* pendings.complete(secret, now, networkOf(origin))
          if (Option.isNone(started)) return ended
          yield* log("sign_in", user, origin, { second_factor: kind, ...byLink(linkMadeBy) })
          return { step: "done", signedIn: yield* remember(started.value, cookie) } as const
        })
      })
    })
  )
}
