const GROUPS = 8
const NETWORK_GROUPS = 4
const MAX_GROUP = 0xffff

/** Without the port that some proxies add: each connection would look like an address of its own. */
const withoutPort = (address: string): string =>
  address.replace(/^\[([^\]]*)\](?::\d+)?$/, "$1").replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1")

/** An IPv4 address in IPv6 form, as a plain one; other addresses as they are. */
export const plainAddress = (address: string): string =>
  withoutPort(address.trim()).replace(/^::ffff:(?=\d+\.)/i, "")

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** The family of an address in its usual form, without a zone; null: the text is no address. */
export const ipFamily = (text: string): 4 | 6 | null => {
  if (IPV4.test(text)) return 4
  return /^[\da-f:.]+$/i.test(text) && text.includes(":") && URL.canParse(`http://[${text}]`) ? 6 : null
}

const hexOf = (high: string | undefined, low: string | undefined): string =>
  ((Number(high) << 8) | Number(low)).toString(16)

/** An IPv4 address at the end becomes two groups. */
const withoutDots = (address: string): string =>
  address.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, a?: string, b?: string, c?: string, d?: string) => `${hexOf(a, b)}:${hexOf(c, d)}`
  )

const numbersOf = (part: string): ReadonlyArray<number> =>
  part === "" ? [] : part.split(":").map((group) => Number(`0x${group}`))

/** All eight groups of an IPv6 address, as numbers; null if the text is none. */
export const groupsOf = (address: string): ReadonlyArray<number> | null => {
  const [head = "", tail] = withoutDots(address.split("%")[0] ?? "").split("::")
  const [first, last] = [numbersOf(head), numbersOf(tail ?? "")]
  const zeros = tail === undefined ? 0 : Math.max(0, GROUPS - first.length - last.length)
  const groups = [...first, ...Array.from({ length: zeros }, () => 0), ...last]
  return groups.length === GROUPS && groups.every((group) => group <= MAX_GROUP) ? groups : null
}

const ipv4Of = (groups: ReadonlyArray<number>): string =>
  groups
    .slice(-2)
    .flatMap((group) => [group >> 8, group & 255])
    .join(".")

/** The unit in which sign-ins are counted: an IPv4 address, or the /64 of IPv6, which has one owner. */
export const signInNetwork = (address: string): string => {
  const groups = address.includes(":") ? groupsOf(address) : null
  if (groups === null) return address
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === MAX_GROUP
  if (isMapped) return ipv4Of(groups)
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16))
  return `${network.join(":")}::/64`
}

/** The unit in which the guard counts valid addresses: the /24 of IPv4, or the /64 of IPv6. */
export const guardNetwork = (ip: string): string => {
  const network = signInNetwork(ip)
  return network.includes(":") ? network : `${network.split(".").slice(0, 3).join(".")}.0/24`
}

/** An address without what identifies a household: the /24 of IPv4, or the /48 of IPv6. */
export const maskedNetwork = (address: string): string => {
  const network = guardNetwork(address)
  return network.includes(":") ? `${network.split(":").slice(0, 3).join(":")}::/48` : network
}

/** The digits of the hash of a network; that of a /64 is the hash of its /48, and its own masked number within that. */
export const HASH_DIGITS = 32
export const NUMBER_DIGITS = 4

/** The hashes of the /56 and the /48 around a /64, by its hash; none around a network of IPv4. */
export const widerNetworks = (network: string): ReadonlyArray<string> =>
  network.length === HASH_DIGITS + NUMBER_DIGITS
    ? [network.slice(0, -NUMBER_DIGITS / 2), network.slice(0, -NUMBER_DIGITS)]
    : []
