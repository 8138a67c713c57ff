import { DAY_MILLIS, HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../Instant.ts"
import type { UserRecord } from "./User.ts"

/** How long a session in the console lasts while it is not used, and in any case. */
export const SESSION_IDLE_MILLIS = 12 * HOUR_MILLIS
export const SESSION_MAX_MILLIS = 7 * DAY_MILLIS

/** How long a sign-in link can be used, once. */
export const LINK_LIFE_MILLIS = 10 * MINUTE_MILLIS

/** Somebody who is signed in to the console. */
export interface ConsoleSession {
  readonly id: string
  readonly user: UserRecord
  /** The customer whose console an operator looks at; null for none, and for everybody else. */
  readonly enteredId: number | null
  /** Null: it began with a link that another person made in the console. */
  readonly signedInAt: Instant | null
  /** The user's epoch when it was read: a new password and a sign-out everywhere begin the next one. */
  readonly epoch: number
}

/** 256 random bits in base64url. */
const SECRET = /^svc_(?:console|link)_[A-Za-z0-9_-]{43}$/

/** Whether this can be the secret of a session or a link at all; what cannot is refused without asking the store. */
export const looksLikeConsoleSecret = (secret: string): boolean => SECRET.test(secret)

export const consoleSecret = (kind: "console" | "link", random: string): string => `svc_${kind}_${random}`

/** When a session that is used now ends, if it is not used again. */
export const idleEnd = (now: Instant): Instant => now + SESSION_IDLE_MILLIS
export const sessionEnd = (now: Instant): Instant => now + SESSION_MAX_MILLIS
export const linkEnd = (now: Instant): Instant => now + LINK_LIFE_MILLIS
