import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { isTimeZone, TEHRAN } from "../../../domain/TimeZones.ts"
import { PublicUrl } from "../../RouteTable.ts"
import { TrustedProxies } from "../../server/ClientAddress.ts"
import { isLanguage, type Language, type Locale, makeLocale } from "./Locale.ts"

type Response = HttpServerResponse.HttpServerResponse

const themes = ["light", "dark"] as const
type Theme = (typeof themes)[number]

const isTheme = (text: string | null | undefined): text is Theme => text === "light" || text === "dark"

/** A choice of the theme: one of them, or what the system has. */
const isThemeChoice = (text: string | null | undefined): text is Theme | "system" =>
  isTheme(text) || text === "system"

const LANGUAGE_COOKIE = "peyk_lang"
const THEME_COOKIE = "peyk_theme"
/** Whether lists show live sends or those of the sandbox, where their address does not say. */
const MODE_COOKIE = "peyk_mode"
/** The console's script sets it. */
const ZONE_COOKIE = "peyk_zone"

/** The visitor of a page, signed in or not, with language and theme. */
export interface Visit {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly path: string
  readonly query: URLSearchParams
  readonly locale: Locale
  /** Null: as the system has it. */
  readonly theme: Theme | null
  /** What the whole console shows: live sends, or those of the sandbox. */
  readonly mode: Mode
  /** The browser came by https: its cookies may go no other way. */
  readonly isSecure: boolean
  /** Where people and programs reach this service: the public address, or else what the browser used. */
  readonly baseUrl: string
}

/** Only a proxy of ours is believed. */
const cameByHttps = ({ headers }: HttpServerRequest.HttpServerRequest, trustedProxies: number): boolean =>
  trustedProxies > 0 && headers["x-forwarded-proto"]?.split(",").at(-1)?.trim().toLowerCase() === "https"

const languageOf = (request: HttpServerRequest.HttpServerRequest, query: URLSearchParams): Language => {
  const wanted = query.get("lang") ?? request.cookies[LANGUAGE_COOKIE]
  if (isLanguage(wanted)) return wanted
  return /^\s*fa\b/i.test(request.headers["accept-language"] ?? "") ? "fa" : "en"
}

/** A browser's script names its zone. */
const zoneOf = (cookie: string | undefined): string =>
  cookie !== undefined && isTimeZone(cookie) ? cookie : TEHRAN

const modes = ["live", "test"] as const
type Mode = (typeof modes)[number]

const isMode = (text: string | null | undefined): text is Mode => text === "live" || text === "test"

/** Lists whose address can have a mode. */
const LISTS = /^\/console\/(?:verifications|messages|requests)(?:\/[a-z]+\.csv)?$/

/** A list of sends without a mode in its address has that of the console. */
const withMode = (query: URLSearchParams, path: string, mode: Mode): URLSearchParams => {
  if (mode === "test" && LISTS.test(path) && !query.has("mode")) query.set("mode", mode)
  return query
}

/** PostgreSQL stores no NUL, so no filter can mean one. */
const withoutNul = (query: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...query].map(([name, value]) => [name, value.replaceAll("\u0000", "")]))

export const readVisit: Effect.Effect<Visit, never, HttpServerRequest.HttpServerRequest> = Effect.gen(
  function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const trustedProxies = yield* TrustedProxies
    const url = new URL(request.url, "http://console.invalid")
    const publicUrl = yield* PublicUrl
    const isSecure = cameByHttps(request, trustedProxies)
    const theme = url.searchParams.get("theme") ?? request.cookies[THEME_COOKIE]
    const wanted = url.searchParams.get("show") ?? request.cookies[MODE_COOKIE]
    const mode = isMode(wanted) ? wanted : "live"
    return {
      request,
      path: url.pathname,
      query: withMode(withoutNul(url.searchParams), url.pathname, mode),
      mode,
      locale: makeLocale(languageOf(request, url.searchParams), zoneOf(request.cookies[ZONE_COOKIE])),
      theme: isTheme(theme) ? theme : null,
      isSecure,
      baseUrl: publicUrl ?? `${isSecure ? "https" : "http"}://${request.headers["host"] ?? "localhost"}`
    }
  }
)

/** The page's own address, with some of its query changed; null takes a part away. */
export const addressWith = (
  { path, query }: Pick<Visit, "path" | "query">,
  changes: Readonly<Record<string, string | null>>
): string => {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  return text === "" ? path : `${path}?${text}`
}

const YEAR = "365 days"

/** Remembers the language and the theme that the address asked for. */
export const rememberChoices =
  ({ query, isSecure }: Visit) =>
  (response: Response): Response => {
    const options = {
      path: "/",
      sameSite: "lax",
      secure: isSecure,
      httpOnly: true,
      maxAge: YEAR
    } as const
    const language = query.get("lang")
    const theme = query.get("theme")
    const mode = query.get("show")
    const chosen = [
      ...(isLanguage(language) ? [[LANGUAGE_COOKIE, language] as const] : []),
      ...(isThemeChoice(theme) ? [[THEME_COOKIE, theme] as const] : []),
      ...(isMode(mode) ? [[MODE_COOKIE, mode] as const] : [])
    ]
    return chosen.reduce(
      (made, [name, value]) => HttpServerResponse.setCookieUnsafe(made, name, value, options),
      response
    )
  }
