/** Checks of what a caller gives. No message has a value that may be a secret. */

const isPrintable = (value: unknown): value is string => typeof value === "string" && /^[ -~]*$/.test(value)

/** Without blanks around it, and without the slashes at its end: a path follows. */
export const baseOf = (baseUrl: unknown): string => {
  if (typeof baseUrl !== "string")
    throw new TypeError("baseUrl is missing: it is a string such as https://peyk.example.ir.")
  const trimmed = baseUrl.trim()
  if (!/^https?:\/\/[^@?#\s\\]+$/i.test(trimmed))
    throw new TypeError("baseUrl must be http:// or https://, a host and at most a path.")
  return trimmed.replace(/\/+$/, "")
}

/** Without the line break at its end, which a key that was read from a file has. */
export const credentialOf = (name: "apiKey" | "token", given: string | undefined): string | undefined => {
  const value = typeof given === "string" ? given.trim() : given
  if (value !== undefined && !isPrintable(value))
    throw new TypeError(`${name} is not printable ASCII, so it is no key of Peyk.`)
  return value
}

export const requireIdempotencyKey = (key: unknown): void => {
  if (!isPrintable(key) || key.trim() === "")
    throw new TypeError("idempotencyKey is not a string of printable ASCII.")
}

/** The ETag of a version. */
export const etagOf = (ifMatch: unknown): string => {
  if (Number.isSafeInteger(ifMatch) && Number(ifMatch) >= 0) return `"${String(ifMatch)}"`
  if (typeof ifMatch === "string" && /^"\d+"$/.test(ifMatch)) return ifMatch
  throw new TypeError(
    'ifMatch is neither the number of a version, such as 3, nor its ETag, such as "3" in quotes.'
  )
}

/** Nothing that a URL would leave out, such as `..`: the request would go to another path. */
const segmentOf = (name: string, value: unknown): string => {
  const isId = typeof value === "string" ? !/^\.{0,2}$/.test(value) : Number.isFinite(value)
  if (!isId) throw new TypeError(`${name} is no id.`)
  return encodeURIComponent(String(value))
}

/** Puts ids into a path such as `/v1/otp/{verification_id}`. */
export const pathOf = (template: string, ids: Readonly<Record<string, unknown>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, ids[name]))
