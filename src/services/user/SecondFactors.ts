import { Context, type Effect, type Option, type Redacted } from "effect"
import type { TooManySignIns } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { FactorState, Passkey } from "../../domain/user/SecondFactor.ts"
import type { CodeAt } from "../../domain/user/Totp.ts"

/** Whether people who run this installation must have a second factor: where Peyk listens on more than loopback. */
export const OperatorsNeedFactor = Context.Reference<boolean>(
  "peyk/services/user/SecondFactors/OperatorsNeedFactor",
  { defaultValue: () => false }
)

/** A user's app, as codes are checked against it. */
interface StoredApp {
  readonly codeAt: CodeAt
  /** The step of the last accepted code: later ones only are accepted. */
  readonly lastStep: number
  /** Distinguishes it from the app that replaces it. */
  readonly createdAt: Instant
}

export interface NewPasskey {
  readonly id: string
  readonly publicKey: Uint8Array
  readonly counter: number
  readonly transports: ReadonlyArray<string>
}

export interface StoredPasskey extends Passkey, NewPasskey {}

/** The second factors of users, of customers and of the installation alike. Changes are parts of a transaction. */
export class SecondFactors extends Context.Service<
  SecondFactors,
  {
    readonly stateOf: (userId: string) => Effect.Effect<FactorState>
    readonly app: (userId: string) => Effect.Effect<Option.Option<StoredApp>>
    /** Uses up the code of a step; false: it was used before, or a later one. Of parallel calls, one is true. */
    readonly useStep: (userId: string, app: StoredApp, step: number) => Effect.Effect<boolean>
    /** Replaces an earlier app. `step` is that of the code that confirmed it. */
    readonly saveApp: (
      userId: string,
      key: Redacted.Redacted,
      step: number,
      now: Instant
    ) => Effect.Effect<void>
    readonly removeApp: (userId: string) => Effect.Effect<void>
    readonly passkeys: (userId: string) => Effect.Effect<ReadonlyArray<StoredPasskey>>
    /** False: somebody already uses it. */
    readonly addPasskey: (
      userId: string,
      passkey: NewPasskey,
      name: string,
      now: Instant
    ) => Effect.Effect<boolean>
    /** False: it was removed, or another use of it came first. */
    readonly usePasskey: (
      userId: string,
      passkey: StoredPasskey,
      counter: number,
      now: Instant
    ) => Effect.Effect<boolean>
    /** Its name; none if there is no such passkey. */
    readonly removePasskey: (userId: string, id: string) => Effect.Effect<Option.Option<string>>
    /** Uses up a recovery code. Of parallel calls, one is true. */
    readonly useRecoveryCode: (userId: string, code: string) => Effect.Effect<boolean>
    /** New ones replace all earlier ones; each is returned this once. */
    readonly newRecoveryCodes: (userId: string, now: Instant) => Effect.Effect<ReadonlyArray<string>>
    readonly clear: (userId: string) => Effect.Effect<void>
  }
>()("peyk/services/user/SecondFactors") {}

/** How many wrong codes of a user's app are compared, over all processes. */
export class AppCodeLimits extends Context.Service<
  AppCodeLimits,
  {
    /** Counts a code in advance, so that parallel requests cannot compare more. */
    readonly take: (userId: string, now: Instant) => Effect.Effect<void, TooManySignIns>
    /** The code was right: only wrong ones count. */
    readonly refund: (userId: string) => Effect.Effect<void>
    readonly forget: (userId: string) => Effect.Effect<void>
  }
>()("peyk/services/user/SecondFactors/AppCodeLimits") {}

/** The key of an app before its first code confirms it. Only its form has it. */
export interface AppOffer {
  /** In base32. */
  readonly key: Redacted.Redacted
  readonly codeAt: CodeAt
}

/** What a form gives back as it was: sealed for one user, and valid for a quarter of an hour. */
export class FactorOffers extends Context.Service<
  FactorOffers,
  {
    readonly newApp: (userId: string, now: Instant) => Effect.Effect<AppOffer & { readonly sealed: string }>
    readonly openApp: (userId: string, sealed: string, now: Instant) => Option.Option<AppOffer>
    /** A challenge for a new passkey. */
    readonly newChallenge: (
      userId: string,
      now: Instant
    ) => Effect.Effect<{ readonly challenge: string; readonly sealed: string }>
    readonly openChallenge: (userId: string, sealed: string, now: Instant) => Option.Option<string>
  }
>()("peyk/services/user/SecondFactors/FactorOffers") {}

interface PasskeyOwner {
  readonly id: string
  readonly email: string
  readonly name: string
}

/** Passkeys (WebAuthn). Browsers have them only for a site with a name, by https. */
export class Passkeys extends Context.Service<
  Passkeys,
  {
    /** Whether `PEYK_PUBLIC_URL` is such a site. */
    readonly isOffered: boolean
    /** What a browser makes a passkey of: JSON. */
    readonly creationOptions: (
      owner: PasskeyOwner,
      known: ReadonlyArray<StoredPasskey>,
      challenge: string
    ) => Effect.Effect<string>
    /** None: it is not for this challenge and this site, or is no passkey at all. */
    readonly created: (response: string, challenge: string) => Effect.Effect<Option.Option<NewPasskey>>
    /** What a browser signs in by: JSON. */
    readonly requestOptions: (known: ReadonlyArray<StoredPasskey>, challenge: string) => Effect.Effect<string>
    /** The passkey that signed the challenge, and its next counter; none: none of these has. */
    readonly signed: (
      response: string,
      known: ReadonlyArray<StoredPasskey>,
      challenge: string
    ) => Effect.Effect<Option.Option<{ readonly passkey: StoredPasskey; readonly counter: number }>>
  }
>()("peyk/services/user/SecondFactors/Passkeys") {}
