/**
 * Lets pages of the operator's origins call paths with personal credentials. Service keys never belong in a browser.
 */

const EXPOSED = "ETag, Idempotency-Replayed, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"
const ACCEPTED = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id"
const PREFLIGHT_SECONDS = 600

interface CorsRequest {
  readonly method: string
  /** Whether its path takes personal credentials. */
  readonly isPersonal: boolean
  readonly headers: Readonly<Record<string, string | undefined>>
}

export interface Cors {
  /** For every response to this request. */
  readonly headers: Readonly<Record<string, string>>
  /** For a preflight: whether the browser may make the real request. */
  readonly preflight: Readonly<Record<string, string>> | null
}

const NONE: Cors = { headers: {}, preflight: null }

export const corsOf = (
  origins: ReadonlySet<string>,
  { method, isPersonal, headers }: CorsRequest,
  methods: string
): Cors => {
  if (origins.size === 0 || !isPersonal) return NONE
  const { origin = "" } = headers
  if (!origins.has(origin)) return { headers: { vary: "Origin" }, preflight: null }
  const shared = { vary: "Origin", "access-control-allow-origin": origin }
  const isPreflight = method === "OPTIONS" && headers["access-control-request-method"] !== undefined
  return {
    headers: isPreflight ? shared : { ...shared, "access-control-expose-headers": EXPOSED },
    preflight: isPreflight
      ? {
          "access-control-allow-methods": methods,
          "access-control-allow-headers": ACCEPTED,
          "access-control-max-age": String(PREFLIGHT_SECONDS)
        }
      : null
  }
}

const YEAR_SECONDS = 31_536_000

/**
 * For every response: browsers must not guess another type than its Content-Type, and no cache may store it. Only what
 * everybody may read allows caches, with a Cache-Control of its own. Where the public address is https, browsers must not
 * try http (they ignore this over http).
 */
export const securityHeaders = (publicUrl: string | null): Readonly<Record<string, string>> => ({
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  ...(publicUrl?.startsWith("https:") === true
    ? { "strict-transport-security": `max-age=${YEAR_SECONDS}` }
    : {})
})
