import { Schema } from "effect"
import { DAY_MILLIS, HOUR_MILLIS, type Instant, MINUTE_MILLIS, SECOND_MILLIS } from "../Instant.ts"
import { storable } from "../text/VisibleText.ts"
import { type Actor, Role, Scope, scopeOfRole } from "./Actor.ts"
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
  readonly enteredName: string | null
  /** Null: it began with a link that another person made in the console. */
  readonly signedInAt: Instant | null
  /** The user's epoch when it was read: a new password and a sign-out everywhere begin the next one. */
  readonly epoch: number
  /** They must have a second factor and have none: until they have, they can do nothing else. */
  readonly mustEnrol: boolean
}

/** 256 random bits in base64url. */
const SECRET = /^svc_(?:console|link|pending)_[A-Za-z0-9_-]{43}$/

/** Whether this can be the secret of a session, a link or a pending sign-in at all; what cannot is refused without asking the store. */
export const looksLikeConsoleSecret = (secret: string): boolean => SECRET.test(secret)

export type ConsoleSecretKind = "console" | "link" | "pending"

export const consoleSecret = (kind: ConsoleSecretKind, random: string): string => `svc_${kind}_${random}`

/** When a session that is used now ends, if it is not used again. */
export const idleEnd = (now: Instant): Instant => now + SESSION_IDLE_MILLIS
export const sessionEnd = (now: Instant): Instant => now + SESSION_MAX_MILLIS
export const linkEnd = (now: Instant): Instant => now + LINK_LIFE_MILLIS

/** How long a refresh token is valid for its one use. */
const REFRESH_LIFE_MILLIS = 30 * DAY_MILLIS

/** 256 random bits in base64url. */
const REFRESH_SECRET = /^svc_refresh_[A-Za-z0-9_-]{43}$/

export const looksLikeRefreshToken = (secret: string): boolean => REFRESH_SECRET.test(secret)

export const refreshSecret = (random: string): string => `svc_refresh_${random}`

/** The end of a refresh token. */
export const refreshEnd = (now: Instant): Instant => now + REFRESH_LIFE_MILLIS

/** The validity of Peyk's own tokens. */
export const SESSION_LIFE_SECONDS = 15 * 60
/** The largest difference allowed between an issuer's clock and ours. */
export const CLOCK_TOLERANCE_SECONDS = 30
/** The audience of Peyk's own tokens, and by default of other issuers' tokens. */
export const AUDIENCE = "peyk"
/** Peyk's own name if no public URL is set. */
export const ISSUER = "peyk"

/** The only algorithms: a token's header selects one of these. */
export const SESSION_ALGORITHMS = ["EdDSA", "ES256"] as const

const Text = Schema.String.check(Schema.isMaxLength(255), Schema.isPattern(/^[^\p{Cc}\p{Cs}]+$/u))
/** Seconds since the epoch; some issuers write fractions. */
const Seconds = Schema.Finite

/** The claims that a JWT must have; others are ignored. */
export const SessionClaims = Schema.Struct({
  iss: Text,
  sub: Text,
  jti: Text,
  iat: Seconds,
  exp: Seconds,
  customer_id: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 })),
  scope: Scope,
  /** Optional for another issuer; without it the full scope means owner. */
  role: Schema.optionalKey(Role),
  name: Schema.optionalKey(Schema.String),
  /** The session that it belongs to. */
  sid: Schema.optionalKey(Schema.String)
})
export type SessionClaims = typeof SessionClaims.Type

/** Whether its times are valid now: already issued, not expired, and in this order. */
export const isTimely = ({ iat, exp }: Pick<SessionClaims, "iat" | "exp">, now: Instant): boolean => {
  const seconds = now / 1000
  return iat <= seconds + CLOCK_TOLERANCE_SECONDS && exp > seconds - CLOCK_TOLERANCE_SECONDS && exp > iat
}

const narrower = (one: Scope, other: Scope): Scope =>
  one === "full" && other === "full" ? "full" : "read_only"

const MAX_NAME_LENGTH = 100

/** The actor that a token of another issuer represents: its role narrows its scope, and never widens it. */
export const externalActor = ({ sub, customer_id, scope, role, name }: SessionClaims): Actor => {
  const allowed = role === undefined ? scope : narrower(scope, scopeOfRole(role))
  return {
    customerId: customer_id,
    kind: "session",
    id: sub,
    name: storable((name ?? sub).slice(0, MAX_NAME_LENGTH)),
    scope: allowed,
    isOwner: allowed === "full" && (role === undefined || role === "owner"),
    role: role ?? null
  }
}

/** An operator at work on a customer's account; the platform's while they are in nobody's. */
export const operatorActorOf = (
  operator: { readonly id: string; readonly name: string },
  customerId: number,
  sessionId: string
): Actor => ({
  customerId,
  kind: "operator",
  id: operator.id,
  name: operator.name,
  scope: "full",
  isOwner: true,
  sessionId
})

/** The actor that a token of ours represents: the user's current rights apply, not those at its creation. */
export const userActor = (
  user: { readonly id: string; readonly customerId: number; readonly name: string; readonly role: Role },
  scope: Scope,
  sessionId?: string
): Actor => {
  const allowed = narrower(scope, scopeOfRole(user.role))
  return {
    customerId: user.customerId,
    kind: "user",
    id: user.id,
    name: user.name,
    scope: allowed,
    isOwner: allowed === "full" && user.role === "owner",
    role: user.role,
    ...(sessionId === undefined ? {} : { sessionId })
  }
}

/** How long a browser stays known after its last sign-in. */
export const BROWSER_LIFE_MILLIS = 180 * DAY_MILLIS
/** A browser is known for so many people at most: the cookie is sent with each request. */
const MAX_PEOPLE_OF_BROWSER = 5

/** A browser in which somebody has signed in before, in their present epoch. */
export interface KnownBrowser {
  readonly id: string
  readonly epoch: number
}

/** What a browser keeps of one person: it does not show who they are. */
export interface BrowserEntry extends KnownBrowser {
  readonly sinceSeconds: number
  readonly mac: string
}

const ENTRY = /^([A-Za-z0-9_-]{22})\.(\d{1,10})\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/
const MAX_ENTRY_LENGTH = 92
const SEPARATOR = "~"

const readEntry = (text: string): ReadonlyArray<BrowserEntry> => {
  const [, id, epoch, since, mac] = ENTRY.exec(text) ?? []
  return id === undefined || mac === undefined
    ? []
    : [{ id, epoch: Number(epoch), sinceSeconds: Number(since), mac }]
}

/** The entries of a cookie; none if anything else wrote it. */
export const readEntries = (cookie: string): ReadonlyArray<BrowserEntry> =>
  cookie.length > MAX_PEOPLE_OF_BROWSER * MAX_ENTRY_LENGTH ? [] : cookie.split(SEPARATOR).flatMap(readEntry)

/** The newest first: the oldest are dropped. */
export const formatEntries = (entries: ReadonlyArray<BrowserEntry>): string =>
  entries
    .slice(0, MAX_PEOPLE_OF_BROWSER)
    .map(({ id, epoch, sinceSeconds, mac }) => [id, epoch, sinceSeconds, mac].join("."))
    .join(SEPARATOR)

/** What the MAC of an entry covers; the address is last, because anything can be in it. */
export const signedText = ({ id, epoch, sinceSeconds }: Omit<BrowserEntry, "mac">, email: string): string =>
  [id, epoch, sinceSeconds, email].join("\n")

export const secondsOf = (now: Instant): number => Math.floor(now / SECOND_MILLIS)

export const isAlive = ({ sinceSeconds }: BrowserEntry, now: Instant): boolean =>
  now - sinceSeconds * SECOND_MILLIS < BROWSER_LIFE_MILLIS
