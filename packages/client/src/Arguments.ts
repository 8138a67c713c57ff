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

/** Without the line break at its end, which a key that was read from a file has; none if it is empty. */
export const credentialOf = (name: "apiKey" | "token", given: string | undefined): string | undefined => {
  const value = typeof given === "string" ? given.trim() : given
  if (value !== undefined && !isPrintable(value))
    throw new TypeError(`${name} has characters that no header can carry.`)
  return value === "" ? undefined : value
}

export const requireIdempotencyKey = (key: unknown): void => {
  if (typeof key !== "string" || !/^[!-~]([ -~]{0,253}[!-~])?$/.test(key))
    throw new TypeError(
      "idempotencyKey must be 1 to 255 printable ASCII characters, without blanks around it."
    )
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
  if (!isId) throw new TypeError(`${name} must be a string or a number that can be part of a path.`)
  return encodeURIComponent(String(value))
}

/** Puts ids into a path such as `/v1/otp/{verification_id}`. */
export const pathOf = (template: string, ids: Readonly<Record<string, unknown>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, ids[name]))

/** A misspelled field would have no effect: the API ignores fields that it does not know. */
export const requireKnown = (fields: unknown, known: ReadonlyArray<string>): void => {
  if (typeof fields !== "object" || fields === null) return
  const unknown = Object.keys(fields).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new TypeError(`There is no field ${unknown}. There are: ${known.join(", ")}.`)
}
