import { HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../Instant.ts"
import { bareNumber, withoutFormat } from "../text/PastedText.ts"
import { APP_CODE_DIGITS, base32 } from "./Totp.ts"

/** How long somebody who has given a password, or opened a link, may take for their second factor. */
const PENDING_LIFE_MILLIS = 10 * MINUTE_MILLIS
export const pendingEnd = (now: Instant): Instant => now + PENDING_LIFE_MILLIS

/** Wrong second factors of one sign-in: then it begins again. */
export const MAX_WRONG_OF_SIGN_IN = 5
/** Wrong codes of one user's app: then only recovery codes and passkeys are accepted. */
export const MAX_WRONG_APP_CODES = 20
export const APP_CODE_WINDOW_MILLIS = HOUR_MILLIS

/** How long the key of an app, or the challenge for a passkey, waits for its form. */
const OFFER_LIFE_MILLIS = 15 * MINUTE_MILLIS
export const isOfferOpen = (madeAt: Instant, now: Instant): boolean =>
  now >= madeAt && now - madeAt < OFFER_LIFE_MILLIS

export const MAX_PASSKEYS = 10

export const RECOVERY_CODES = 10
/** 128 bits: nobody guesses one, so their tries need no limit of their own. */
export const RECOVERY_CODE_BYTES = 16

const RECOVERY_CODE = /^[a-z2-7]{26}$/

const grouped = (text: string): string => text.replaceAll(/.{5}(?=.{5})/g, "$&-")

/** `abcde-fghij-klmno-pqrst-uvwxyz` */
export const recoveryCode = (bytes: Uint8Array): string => grouped(base32(bytes).toLowerCase())

/** What a person entered as their second factor. */
interface GivenFactor {
  readonly kind: "app" | "recovery_code"
  /** In one form, whatever separates its parts. */
  readonly code: string
}

const APP_CODE = new RegExp(`^\\d{${APP_CODE_DIGITS}}$`)

/** A code of the app in any digits, else a recovery code; null: it can be neither. */
export const readFactor = (text: string): GivenFactor | null => {
  if (text.length > 100) return null
  const digits = bareNumber(text)
  if (APP_CODE.test(digits)) return { kind: "app", code: digits }
  const code = withoutFormat(text)
    .replaceAll(/[\s\p{Pd}]/gu, "")
    .toLowerCase()
  return RECOVERY_CODE.test(code) ? { kind: "recovery_code", code: grouped(code) } : null
}

/** By what a sign-in was completed. */
export type FactorKind = GivenFactor["kind"] | "passkey"

export interface Passkey {
  /** Of its authenticator, in base64url. */
  readonly id: string
  readonly name: string
  readonly createdAt: Instant
  readonly lastUsedAt: Instant | null
}

/** A user's second factors. */
export interface FactorState {
  /** Since when they use an app; null: they use none. */
  readonly appSince: Instant | null
  readonly passkeys: ReadonlyArray<Passkey>
  /** How many of their recovery codes are left. */
  readonly recoveryCodes: number
  /** Whether they must have one. */
  readonly isRequired: boolean
}

export const hasFactor = ({ appSince, passkeys }: Pick<FactorState, "appSince" | "passkeys">): boolean =>
  appSince !== null || passkeys.length > 0

/** Whether this is the only factor of somebody who must have one. */
export const isNeeded = (state: FactorState): boolean =>
  state.isRequired && (state.appSince === null ? 0 : 1) + state.passkeys.length === 1
