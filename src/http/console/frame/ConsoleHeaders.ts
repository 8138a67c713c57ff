/** No script or style but the console's own files, no other host, no frame. */
export const CONSOLE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'"
  ].join("; "),
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY"
}

/** For a page whose address or content lets somebody in: no other request may name it. */
export const NO_REFERRER = { "referrer-policy": "no-referrer" }

/** Pages show a customer's data, and sometimes a secret. */
export const PAGE_HEADERS = { ...CONSOLE_HEADERS, "cache-control": "no-store" }
