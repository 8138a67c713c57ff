import { Schema } from "effect"

/** A customer's description of the device that asked for a code. */
export interface Client {
  /** A valid IPv4 or IPv6 address. */
  readonly ip?: string | undefined
  readonly userAgent?: string | undefined
  readonly deviceId?: string | undefined
  /** The customer vouches for it. */
  readonly trusted?: boolean | undefined
}

/** Keyed hashes of it, which are all that is stored. */
export const HashedClient = Schema.Struct({
  /** The address's network: /24 of IPv4, /64 of IPv6. */
  network: Schema.optionalKey(Schema.String),
  agent: Schema.optionalKey(Schema.String),
  device: Schema.optionalKey(Schema.String),
  trusted: Schema.optionalKey(Schema.Literal(true))
})
export type HashedClient = typeof HashedClient.Type

const GROUPS = 8
const NETWORK_GROUPS = 4

const hexOf = (high: string | undefined, low: string | undefined): string =>
  ((Number(high) << 8) | Number(low)).toString(16)

/** An IPv4 address at the end becomes two groups. */
const withoutDots = (address: string): string =>
  address.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, a?: string, b?: string, c?: string, d?: string) => `${hexOf(a, b)}:${hexOf(c, d)}`
  )

/** All eight groups of an IPv6 address, as numbers. */
const groupsOf = (address: string): ReadonlyArray<number> => {
  const [head = "", tail] = withoutDots(address.split("%")[0] ?? "").split("::")
  const numbers = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16))
  const [first, last] = [numbers(head), numbers(tail ?? "")]
  const zeros = tail === undefined ? 0 : GROUPS - first.length - last.length
  return [...first, ...Array.from({ length: zeros }, () => 0), ...last]
}

const ipv4Network = (first: number, second: number): string =>
  `${first >> 8}.${first & 255}.${second >> 8}.0/24`

/** The network of a valid address: /24 of IPv4, also in IPv6 form, and /64 of IPv6. */
export const networkOf = (ip: string): string => {
  if (!ip.includes(":")) return `${ip.split(".").slice(0, 3).join(".")}.0/24`
  const groups = groupsOf(ip)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return ipv4Network(groups[6] ?? 0, groups[7] ?? 0)
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16))
  return `${network.join(":")}::/64`
}
