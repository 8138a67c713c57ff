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
