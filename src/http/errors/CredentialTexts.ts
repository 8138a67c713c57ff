import { looksLikeApiKey } from "../../domain/ApiKey.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import { looksLikeToken } from "../../domain/PersonalToken.ts"

type RequestHeaders = Readonly<Record<string, string | undefined>>

const KEY_HEADER = "X-API-Key"
const TOKEN_FORM = "Authorization: apikey svc_pat_…"
const SESSION_FORM = "Authorization: Bearer …"

/** What kind of credential a text is, by its form. */
const kindOf = (text: string): "none" | "key" | "token" | "session" | "other" => {
  if (text === "") return "none"
  if (text.startsWith("svc_live_") || text.startsWith("svc_test_")) return "key"
  if (text.startsWith("svc_pat_")) return "token"
  return /^ey[\w-]+\.[\w-]*\./.test(text) ? "session" : "other"
}

/** The scheme, in lower case, and the rest of `Authorization`; both are empty without the header. */
export const splitAuthorization = (header: string | undefined) => {
  const [, scheme = "", credential = ""] = /^(?:(\S+)\s+)?(\S.*)$/.exec(header?.trim() ?? "") ?? []
  return { scheme: scheme.toLowerCase(), credential }
}

const WANTED_KEY: Readonly<Record<KeyMode | "any", string>> = {
  live: "a live one (svc_live_…)",
  test: "a test one (svc_test_…)",
  any: "a live or a test one (svc_live_… or svc_test_…)"
}

/** Why a request without a valid service key is refused, on a path that takes keys of this mode. */
export const keyRefusalText = (
  { "x-api-key": given = "", authorization }: RequestHeaders,
  mode: KeyMode | "any"
): string => {
  const send = `Send a service key in the header ${KEY_HEADER}`
  const key = given.trim()
  if (key === "") {
    const other = kindOf(splitAuthorization(authorization).credential)
    if (other === "key") return `${send}, not in Authorization.`
    return other === "none"
      ? `${send}: here ${WANTED_KEY[mode]}.`
      : `${send}: here ${WANTED_KEY[mode]}. What is in Authorization is only for /v1/manage.`
  }
  const kind = kindOf(key)
  if (kind === "token" || kind === "session") {
    const name = kind === "token" ? "a personal access token" : "the token of a session"
    return `${KEY_HEADER} has ${name}, which is only for /v1/manage. ${send}: here ${WANTED_KEY[mode]}.`
  }
  return looksLikeApiKey(key)
    ? `The service key in ${KEY_HEADER} is unknown, expired or revoked.`
    : `What is in ${KEY_HEADER} is not a whole service key: svc_live_ or svc_test_ and 43 characters.`
}

const MANAGING = `Send a personal access token as ${TOKEN_FORM}, or a session as ${SESSION_FORM}`

/** Why a request without a valid credential is refused on a path of the management API. */
export const managementRefusalText = ({ "x-api-key": key, authorization }: RequestHeaders): string => {
  const { scheme, credential } = splitAuthorization(authorization)
  const kind = kindOf(credential)
  if (kind === "none") {
    return key === undefined || key === ""
      ? `${MANAGING}.`
      : `${MANAGING}; ${KEY_HEADER} is for service keys, which cannot manage.`
  }
  if (kind === "key") return `${MANAGING}; service keys cannot manage.`
  if (scheme === "") return `${MANAGING}: the scheme is missing.`
  if (scheme !== "apikey" && scheme !== "bearer") return `${MANAGING}: this scheme is not known here.`
  if (kind === "token") {
    return looksLikeToken(credential)
      ? "The personal access token is unknown, expired or revoked."
      : "This is not a whole personal access token: svc_pat_ and 43 characters."
  }
  if (scheme === "apikey") return `${MANAGING}: apikey is not followed by a personal access token.`
  return "The session's token is invalid or expired. Refresh the session, or sign in again."
}

/** Why `/metrics` is refused, given whether a token is set for it. */
export const metricsRefusalText = (hasToken: boolean): string =>
  hasToken
    ? "Send the token that PEYK_METRICS_TOKEN has as Authorization: Bearer …."
    : "Set PEYK_METRICS_TOKEN, and send it as Authorization: Bearer …; without it only this machine is served."

export const SIGN_IN_REFUSED = "The e-mail address or the password is wrong, or the user is switched off."
export const REFRESH_REFUSED = "The refresh token is unknown, expired or used. Sign in again."
