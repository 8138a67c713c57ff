import { Duration, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import { BROWSER_LIFE_MILLIS } from "../../../domain/user/Sessions.ts"
import type { Visit } from "./Visit.ts"

type Response = HttpServerResponse.HttpServerResponse

/** A cookie of this prefix is set by this very host, by https, or not at all. */
const cookieName = (name: string, { isSecure }: Pick<Visit, "isSecure">): string =>
  isSecure ? `__Host-${name}` : name

const SESSION = "peyk_session"
const CSRF = "peyk_csrf"
const PENDING = "peyk_pending"

const BROWSER = "peyk_browser"

const optionsOf = ({ isSecure }: Pick<Visit, "isSecure">) =>
  ({ path: "/", httpOnly: true, sameSite: "lax", secure: isSecure }) as const

/** The secret of the visitor's session; null where there is none. */
export const sessionSecret = (visit: Visit): Redacted.Redacted | null => {
  const secret = visit.request.cookies[cookieName(SESSION, visit)]
  return secret === undefined ? null : Redacted.make(secret)
}

/**
 * Without an age: the browser keeps it until it is closed. How long the session lasts is decided where it is stored, by
 * `SESSION_IDLE_MILLIS` and `SESSION_MAX_MILLIS` in `domain/user/Sessions.ts`.
 */
export const setSession = (response: Response, visit: Visit, secret: Redacted.Redacted): Response =>
  HttpServerResponse.setCookieUnsafe(
    response,
    cookieName(SESSION, visit),
    Redacted.value(secret),
    optionsOf(visit)
  )

export const clearSession = (response: Response, visit: Visit): Response =>
  HttpServerResponse.setCookieUnsafe(response, cookieName(SESSION, visit), "", {
    ...optionsOf(visit),
    maxAge: "0 seconds"
  })

/** The secret of a sign-in that waits for a second factor; null: there is none. */
export const pendingSecret = (visit: Visit): Redacted.Redacted | null => {
  const secret = visit.request.cookies[cookieName(PENDING, visit)]
  return secret === undefined || secret === "" ? null : Redacted.make(secret)
}

export const setPending = (response: Response, visit: Visit, secret: Redacted.Redacted): Response =>
  HttpServerResponse.setCookieUnsafe(
    response,
    cookieName(PENDING, visit),
    Redacted.value(secret),
    optionsOf(visit)
  )

export const clearPending = (response: Response, visit: Visit): Response =>
  HttpServerResponse.setCookieUnsafe(response, cookieName(PENDING, visit), "", {
    ...optionsOf(visit),
    maxAge: "0 seconds"
  })

/** What the browser has kept of earlier sign-ins; null: nothing. */
export const browserCookie = (visit: Visit): string | null =>
  visit.request.cookies[cookieName(BROWSER, visit)] ?? null

export const setBrowser = (response: Response, visit: Visit, value: string): Response =>
  HttpServerResponse.setCookieUnsafe(response, cookieName(BROWSER, visit), value, {
    ...optionsOf(visit),
    maxAge: Duration.millis(BROWSER_LIFE_MILLIS)
  })

const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** The CSRF token that a visitor who is not signed in must send with a form; null before the first form. */
export const csrfCookie = (visit: Visit): string | null => {
  const token = visit.request.cookies[cookieName(CSRF, visit)]
  return token !== undefined && TOKEN.test(token) ? token : null
}

export const setCsrf = (response: Response, visit: Visit, token: string): Response =>
  HttpServerResponse.setCookieUnsafe(response, cookieName(CSRF, visit), token, optionsOf(visit))

/** The token that a signed-in visitor must send with a form: only pages of their session contain it. */
export const csrfOfSession = (secret: Redacted.Redacted): string =>
  createHash("sha256")
    .update(`csrf:${Redacted.value(secret)}`)
    .digest("base64url")

/** A mark in an address. Only with it does its query fill in a page: nobody else can make such a link for this session. */
export const draftMark = (csrf: string, customerId: number): string =>
  createHash("sha256").update(`draft:${customerId}:${csrf}`).digest("base64url")

/** Whether a form came from a page of ours; takes as long for a wrong token as for the right one. */
export const isSameToken = (given: string | null, expected: string | null): boolean => {
  if (given === null || expected === null) return false
  const [left, right] = [Buffer.from(given), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}
