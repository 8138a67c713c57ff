import type { Instant } from "../Instant.ts"

/** Failed sign-ins of one e-mail address from one network before more are refused. */
export const MAX_FAILURES_OF_PAIR = 10
/** Limits for one e-mail address from everywhere, and for one network with any e-mail address. */
export const MAX_FAILURES_OF_EMAIL = 50
export const MAX_FAILURES_OF_NETWORK = 50
export const FAILURE_WINDOW_MILLIS = 15 * 60_000

/** How long a refresh token is valid for its one use. */
export const REFRESH_LIFE_MILLIS = 30 * 24 * 3_600_000

/** 256 random bits in base64url. */
const SECRET = /^svc_refresh_[A-Za-z0-9_-]{43}$/

export const looksLikeRefreshToken = (secret: string): boolean => SECRET.test(secret)

export const refreshSecret = (random: string): string => `svc_refresh_${random}`

const IPV6_GROUPS = 8
/** The owner of one IPv6 address has its whole /64. */
const NETWORK_GROUPS = 4

const groupsOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(":"))

/** The unit in which addresses are counted: itself in IPv4, its /64 in IPv6. */
export const networkOf = (address: string): string => {
  if (!address.includes(":")) return address
  const [withoutZone = ""] = address.toLowerCase().split("%")
  const [head = "", tail] = withoutZone.split("::")
  const before = groupsOf(head)
  const after = groupsOf(tail ?? "")
  const zeros = tail === undefined ? 0 : Math.max(0, IPV6_GROUPS - before.length - after.length)
  const groups = [...before, ...Array.from({ length: zeros }, () => "0"), ...after]
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.replace(/^0+(?=.)/, ""))
  return `${network.join(":")}::/64`
}

/** The end of a refresh token. */
export const refreshEnd = (now: Instant): Instant => now + REFRESH_LIFE_MILLIS
