import { Cause, Clock, Context, Effect, Exit, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  SecondFactorRequired,
  type ServiceUnavailable,
  type TooManySignIns,
  Unauthenticated
} from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import { maskedNetwork, signInNetwork } from "../../domain/Networks.ts"
import { isStorable } from "../../domain/text/VisibleText.ts"
import { operatorActor, scopeOfRole } from "../../domain/user/Actor.ts"
import { type KnownBrowser, SESSION_LIFE_SECONDS, userActor } from "../../domain/user/Sessions.ts"
import { loggedName, normalizeEmail, type UserRecord } from "../../domain/user/User.ts"
import { ManagementWrites, type Origin } from "../ManagementWrites.ts"
import { Workers } from "../concurrency/Workers.ts"
import { FactorChecks } from "./FactorChecks.ts"
import { type HashingOrigin, hashingOrigin, Passwords } from "./Passwords.ts"
import { SessionIssuers, SigningKeys } from "./Sessions.ts"
import { type Candidate, type UserSession, UserSessions } from "./UserSessions.ts"

/** The keys by which failures are counted. */
export interface SignInOrigin {
  /** Normalized. */
  readonly email: string
  /** Null: unknown. */
  readonly network: string | null
  /** A browser in which this address has signed in before: then nothing else counts. */
  readonly browser?: string | null
}

/**
 * How many sign-ins can fail, over all processes: few of one e-mail address from one network, so that an attacker
 * cannot lock a user out; more of one e-mail address from everywhere, and of one network with any e-mail address. A
 * known browser has a limit of its own, which nobody else can use up.
 */
export class SignInLimits extends Context.Service<
  SignInLimits,
  {
    /** Counts a failure in advance, so that parallel requests cannot compare more passwords. */
    readonly take: (origin: SignInOrigin, now: Instant) => Effect.Effect<void, TooManySignIns>
    /** No password was compared: the count is taken back. */
    readonly refund: (origin: SignInOrigin) => Effect.Effect<void>
    /** The password was right: clears the e-mail address's failures, and takes back the network's count. */
    readonly succeeded: (origin: SignInOrigin) => Effect.Effect<void>
  }
>()("peyk/services/user/SignIns/SignInLimits") {}

/** What a list of sessions shows of where somebody signed in. */
export const networkOf = ({ ip }: Origin): string | null => (ip === null ? null : maskedNetwork(ip))

/** Writes into the audit log what users do with their sessions. */
export const makeSignInLog = Effect.map(
  ManagementWrites,
  (writes) =>
    (verb: string, user: UserRecord, origin: Origin, details: Readonly<Record<string, unknown>> = {}) =>
      writes
        .write(
          {
            actor:
              user.isOperator === true
                ? { ...operatorActor(user.customerId), id: user.id, name: user.name }
                : userActor(user, scopeOfRole(user.role)),
            origin,
            operation: `user.${verb}`,
            status: 200,
            idempotency: undefined
          },
          Effect.succeed({
            body: null,
            audit: {
              action: `user.${verb}`,
              subjectType: "user",
              subjectId: user.id,
              subjectName: loggedName(user.name),
              details
            }
          })
        )
        .pipe(Effect.catchTag("idempotency_key_conflict", Effect.die), Effect.asVoid)
)

export interface GivenPassword {
  readonly email: string
  readonly password: Redacted.Redacted
}

type SignInError = Unauthenticated | TooManySignIns | ServiceUnavailable

export interface SignedIn {
  readonly accessToken: Redacted.Redacted
  readonly expiresInSeconds: number
  readonly refreshToken: Redacted.Redacted
}

/**
 * For any e-mail address: refusing one customer's sign-ins would reveal that the address is one of theirs. A known
 * browser waits behind nobody of its network.
 */
const checkingOrigin = ({ ip }: Origin, { browser = null }: SignInOrigin): HashingOrigin =>
  browser === null ? hashingOrigin(null, ip) : { customerId: null, network: null, browser }

/** Whether no password was compared. A client that disconnects afterwards does not undo the comparison. */
const wasNotCompared = (cause: Cause.Cause<{ readonly _tag: string }>): boolean => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return error === undefined ? Cause.hasDies(cause) : error._tag !== "unauthenticated"
}

/** By what a user of the API proves more than their password; absent: by nothing. */
interface GivenSignIn extends GivenPassword {
  /** A code of their app, or a recovery code. */
  readonly secondFactor?: Redacted.Redacted | undefined
}

/** Signs people in with a password, and keeps their sessions. */
export class SignIns extends Context.Service<
  SignIns,
  {
    /** The refusal never shows why: a wrong password, an unknown address, or a disabled user. */
    readonly signIn: (
      given: GivenSignIn,
      origin: Origin
    ) => Effect.Effect<SignedIn, SignInError | SecondFactorRequired>
    /**
     * Signs in to another kind of session, which `start` begins and writes into the audit log; `browser` is one that
     * says it knows this address.
     */
    readonly signInWith: <S, E = never>(
      given: GivenPassword,
      origin: Origin,
      start: (candidate: Candidate, now: Instant) => Effect.Effect<Option.Option<S>, E>,
      browser?: KnownBrowser | null
    ) => Effect.Effect<S, SignInError | E>
    /** A token that is used twice was stolen, so it ends the session. */
    readonly refresh: (token: Redacted.Redacted, origin: Origin) => Effect.Effect<SignedIn, Unauthenticated>
    /** Never refuses: afterwards the token is invalid. */
    readonly signOut: (token: Redacted.Redacted, origin: Origin) => Effect.Effect<void>
  }
>()("peyk/services/user/SignIns") {
  static readonly layer = Layer.effect(
    SignIns,
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      const workers = yield* Workers
      const waiting = workers.waitOutside("sign_in")
      const passwords = yield* Passwords
      const limits = yield* SignInLimits
      const sessions = yield* UserSessions
      const keys = yield* SigningKeys
      const issuers = yield* SessionIssuers

      const factors = yield* FactorChecks
      const log = yield* makeSignInLog

      const issue = Effect.fnUntraced(function* ({ sessionId, user, refreshToken }: UserSession) {
        const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        const accessToken = yield* keys.sign({
          iss: issuers.own,
          aud: issuers.audience,
          sub: user.id,
          customer_id: user.customerId,
          scope: scopeOfRole(user.role),
          role: user.role,
          sid: sessionId,
          iat: now,
          exp: now + SESSION_LIFE_SECONDS,
          jti: yield* random.uuidV7()
        })
        const signedIn: SignedIn = { accessToken, refreshToken, expiresInSeconds: SESSION_LIFE_SECONDS }
        return signedIn
      })

      /** Whether they can sign in with it. An unknown user takes as long as a known one. */
      const check = Effect.fnUntraced(function* (
        candidate: Candidate | null,
        password: Redacted.Redacted,
        origin: Origin,
        counted: SignInOrigin
      ) {
        const { matches, isOutdated } = yield* waiting(
          passwords.verify(password, candidate?.passwordHash ?? null, checkingOrigin(origin, counted))
        )
        if (candidate === null) return yield* new Unauthenticated()
        const { user } = candidate
        if (matches && user.disabledAt === null) return { candidate, isOutdated }
        const reason = matches ? "disabled" : "wrong_password"
        // Parallel to the response, which must not take longer for existing users.
        yield* workers.start(log("sign_in_failed", user, origin, { reason }))
        return yield* new Unauthenticated()
      })

      /** Counts as a failure only if the password was compared and was wrong. */
      const checkCounted = (counted: SignInOrigin, password: Redacted.Redacted, origin: Origin) => {
        const checked = Effect.gen(function* () {
          const found = Option.getOrNull(yield* sessions.findByEmail(counted.email))
          const result = yield* check(found, password, origin, counted)
          yield* limits.succeeded(counted)
          return result
        })
        return Effect.gen(function* () {
          yield* limits.take(counted, yield* Clock.currentTimeMillis)
          return yield* Effect.onExit(checked, (exit) =>
            Exit.isFailure(exit) && wasNotCompared(exit.cause)
              ? Effect.ignoreCause(limits.refund(counted))
              : Effect.void
          )
        })
      }

      /** By which limits a sign-in counts. A browser is known until its user's next epoch begins. */
      const countedBy = Effect.fnUntraced(function* (
        email: string,
        { ip }: Origin,
        browser: KnownBrowser | null
      ) {
        const counted: SignInOrigin = { email, network: ip === null ? null : signInNetwork(ip) }
        if (browser === null) return counted
        const found = Option.getOrNull(yield* sessions.findByEmail(email))
        return found?.epoch === browser.epoch ? { ...counted, browser: browser.id } : counted
      })

      /** A failure here does not matter: another sign-in will do it. */
      const rehash = (candidate: Candidate, password: Redacted.Redacted, origin: Origin) =>
        waiting(passwords.hash(password, hashingOrigin(candidate.user.customerId, origin.ip))).pipe(
          Effect.flatMap((made) => sessions.rehash(candidate, made)),
          Effect.catchTags({
            too_many_sign_ins: () => Effect.void,
            service_unavailable: () => Effect.void
          })
        )

      const signInWith: (typeof SignIns)["Service"]["signInWith"] = Effect.fnUntraced(function* (
        { email, password },
        origin,
        start,
        browser = null
      ) {
        // A form may contain what no stored address can, and what no statement takes.
        if (!isStorable(email)) return yield* new Unauthenticated()
        const counted = yield* countedBy(normalizeEmail(email), origin, browser)
        const { candidate, isOutdated } = yield* checkCounted(counted, password, origin)
        const session = yield* start(candidate, yield* Clock.currentTimeMillis)
        if (Option.isNone(session)) return yield* new Unauthenticated()
        if (isOutdated) yield* rehash(candidate, password, origin)
        return session.value
      })

      /** The second factor of somebody who needs one; without one they set it up in the console. */
      const checkFactor = Effect.fnUntraced(function* (user: UserRecord, given: GivenSignIn, origin: Origin) {
        const need = yield* factors.needOf(user.id)
        if (need === "none") return {}
        if (need === "missing" || given.secondFactor === undefined) return yield* new SecondFactorRequired()
        const kind = yield* factors.checkCode(user.id, Redacted.value(given.secondFactor))
        if (kind !== null) return { second_factor: kind }
        yield* log("sign_in_failed", user, origin, { reason: "wrong_second_factor" })
        return yield* new Unauthenticated()
      })

      const startWith = (given: GivenSignIn, origin: Origin) =>
        Effect.fnUntraced(function* (candidate: Candidate, now: Instant) {
          const { user } = candidate
          // Operators have no sessions of the API: their second factor is not asked for.
          const details = user.isOperator === true ? {} : yield* checkFactor(user, given, origin)
          const session = yield* sessions.start(candidate, now, networkOf(origin))
          if (Option.isSome(session)) yield* log("sign_in", user, origin, details)
          return session
        })

      return SignIns.of({
        signInWith,

        signIn: (given, origin) => Effect.flatMap(signInWith(given, origin, startWith(given, origin)), issue),

        refresh: Effect.fnUntraced(function* (token, origin) {
          const now = yield* Clock.currentTimeMillis
          const session = yield* sessions.refresh(token, now)
          if (Option.isSome(session)) return yield* issue(session.value)
          const ended = yield* sessions.endIfReused(token, now)
          if (Option.isSome(ended)) {
            const { user, sessionId } = ended.value
            yield* log("session_ended", user, origin, {
              reason: "a refresh token was used twice",
              session_id: sessionId
            })
          }
          return yield* new Unauthenticated()
        }),

        signOut: Effect.fnUntraced(function* (token, origin) {
          const ended = yield* sessions.end(token, yield* Clock.currentTimeMillis)
          if (Option.isNone(ended)) return
          yield* log("sign_out", ended.value.user, origin, { session_id: ended.value.sessionId })
        })
      })
    })
  )
}
