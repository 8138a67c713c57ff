import { Context, Effect } from "effect"
import { isIP } from "node:net"
import { problem, type Problem } from "../../domain/Problem.ts"
import { isPrivateAddress, PrivateAddressRefused, publicLookup } from "./PrivateAddresses.ts"

/** Whether customers' addresses can be plain http or in a private network: for development. */
export const AllowsPrivateAddresses = Context.Reference<boolean>(
  "peyk/layers/network/CustomerUrls/AllowsPrivateAddresses",
  { defaultValue: () => false }
)

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

const UNLESS = { unless: "PEYK_ALLOW_PRIVATE_ADDRESSES" }
const PRIVATE = problem("private_network", UNLESS)

/** Why Peyk may not call an address that a customer chose; null: it may. */
export const customerUrlProblem = (text: string, allowsPrivateAddresses: boolean): Problem | null => {
  const url = parseUrl(text)
  if (url === null) return problem("not_http_url", { maximum: MAX_URL_LENGTH })
  if (allowsPrivateAddresses) return null
  if (url.protocol !== "https:") return problem("not_https", UNLESS)
  return isPrivateHost(url.hostname) ? PRIVATE : null
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
  Effect.callback<Problem | null>((resume) => {
    publicLookup(hostname, { all: true }, (error) =>
      resume(Effect.succeed(error instanceof PrivateAddressRefused ? PRIVATE : null))
    )
  })

/** What is wrong with an address that is saved: names that can only be local are refused too. */
export const savedUrlProblem = (text: string, allowsPrivateAddresses: boolean): Problem | null => {
  const found = customerUrlProblem(text, allowsPrivateAddresses)
  if (found !== null || allowsPrivateAddresses) return found
  const hostname = addressOf(new URL(text).hostname)
  return isIP(hostname) === 0 && isLocalName(hostname) ? PRIVATE : null
}

/**
 * What is wrong with the address of a webhook or a bridge: its name is resolved too. A name that does not resolve yet
 * passes, because each connection resolves it again and refuses private addresses.
 */
export const currentUrlProblem = (
  text: string,
  allowsPrivateAddresses: boolean
): Effect.Effect<Problem | null> => {
  const found = savedUrlProblem(text, allowsPrivateAddresses)
  if (found !== null || allowsPrivateAddresses) return Effect.succeed(found)
  const hostname = addressOf(new URL(text).hostname)
  return isIP(hostname) === 0
    ? Effect.timeoutOrElse(lookUp(hostname), {
        duration: LOOKUP_TIMEOUT,
        orElse: () => Effect.succeed<Problem | null>(null)
      })
    : Effect.succeed(null)
}
