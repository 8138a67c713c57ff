import { Effect } from "effect"
import { isIP } from "node:net"
import { isPrivateAddress, PrivateAddressRefused, publicLookup } from "./PrivateAddresses.ts"

const MAX_URL_LENGTH = 2048

/** Names of this machine or a private network, wherever they are resolved. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal)\.*$/

const addressOf = (hostname: string): string => hostname.replace(/^\[|\]$/g, "")

/** For a host as URL parsing leaves it: lower case, and every notation of an IPv4 address made one. */
const isPrivateHost = (hostname: string): boolean => {
  const address = addressOf(hostname)
  return isIP(address) === 0 ? PRIVATE_NAME.test(hostname) : isPrivateAddress(address)
}

const parseUrl = (text: string): URL | null => {
  const url = text.length <= MAX_URL_LENGTH ? URL.parse(text) : null
  const isPlain = url?.username === "" && url.password === "" && !text.includes("#")
  // parsing makes some characters longer, and the parsed form is stored
  const isShort = (url?.href.length ?? 0) <= MAX_URL_LENGTH
  return url !== null && isPlain && isShort && /^https?:$/.test(url.protocol) ? url : null
}

const UNLESS = ", unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
const PRIVATE = `must not lead into a private network${UNLESS}`
const INSECURE = `must begin with https://${UNLESS}`

/** Whether Peyk may call an address that a customer chose: true, or the problem. */
export const checkCustomerUrl = (text: string, allowsPrivateAddresses: boolean): true | string => {
  const url = parseUrl(text)
  if (url === null) {
    return `must be an http or https address of at most ${MAX_URL_LENGTH} characters, without credentials or fragment`
  }
  if (allowsPrivateAddresses) return true
  if (url.protocol !== "https:") return INSECURE
  return !isPrivateHost(url.hostname) || PRIVATE
}

/** Names that no public name server resolves: IANA's special-use names, and common private ones. */
const SPECIAL_USE = new Set([
  "alt",
  "arpa",
  "corp",
  "home",
  "internal",
  "intranet",
  "invalid",
  "lan",
  "local",
  "localdomain",
  "localhost",
  "onion",
  "private",
  "test"
])

/** A name that only a resolver in a private network can know: with one label, or for special use. */
const isLocalName = (hostname: string): boolean => {
  const labels = hostname.replace(/\.+$/, "").split(".")
  return labels.length === 1 || SPECIAL_USE.has(labels.at(-1) ?? "")
}

/** The stored form: the parsed address that was checked. */
export const storedUrl = (text: string): string => URL.parse(text)?.href ?? text

const LOOKUP_TIMEOUT = "3 seconds"

const lookUp = (hostname: string) =>
  Effect.callback<true | string>((resume) => {
    publicLookup(hostname, { all: true }, (error) =>
      resume(Effect.succeed(error instanceof PrivateAddressRefused ? PRIVATE : true))
    )
  })

/** The same when an address is saved: names that can only be local are refused too. */
export const checkSavedUrl = (text: string, allowsPrivateAddresses: boolean): true | string => {
  const checked = checkCustomerUrl(text, allowsPrivateAddresses)
  if (checked !== true || allowsPrivateAddresses) return checked
  const hostname = addressOf(new URL(text).hostname)
  return isIP(hostname) !== 0 || !isLocalName(hostname) || PRIVATE
}

/**
 * The same, and other names are resolved. A name that does not resolve (yet) passes: each connection resolves it again,
 * and refuses private addresses.
 */
export const checkCustomerUrlNow = (
  text: string,
  allowsPrivateAddresses: boolean
): Effect.Effect<true | string> => {
  const checked = checkSavedUrl(text, allowsPrivateAddresses)
  if (checked !== true || allowsPrivateAddresses) return Effect.succeed(checked)
  const hostname = addressOf(new URL(text).hostname)
  return isIP(hostname) === 0
    ? Effect.timeoutOrElse(lookUp(hostname), {
        duration: LOOKUP_TIMEOUT,
        orElse: () => Effect.succeed<true | string>(true)
      })
    : Effect.succeed(true)
}
