import * as net from "node:net"
import { resolveName } from "./NameResolution.ts"

/**
 * Addresses outside the public internet (IANA's special-purpose registries): loopback, private, link-local and the
 * like.
 */
const blocked = new net.BlockList()
const blockedRanges: ReadonlyArray<readonly [string, number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3]
]
for (const [network, prefix] of blockedRanges) blocked.addSubnet(network, prefix, "ipv4")

/** In IPv6 only global unicast is public, except addresses that represent IPv4 or are for documentation. */
const globalUnicast = new net.BlockList()
globalUnicast.addSubnet("2000::", 3, "ipv6")
const blockedUnicast: ReadonlyArray<readonly [string, number]> = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20]
]
const blockedGlobal = new net.BlockList()
for (const [network, prefix] of blockedUnicast) blockedGlobal.addSubnet(network, prefix, "ipv6")

/** Whether an address (not a name) is outside the public internet. An invalid address is, too. */
export const isPrivateAddress = (address: string): boolean => {
  const family = net.isIP(address)
  if (family === 4) return blocked.check(address, "ipv4")
  if (family !== 6) return true
  return !globalUnicast.check(address, "ipv6") || blockedGlobal.check(address, "ipv6")
}

/** Whether only this machine can reach what listens on this address. */
export const isLoopbackHost = (host: string): boolean =>
  host === "localhost" || host === "::1" || (net.isIP(host) === 4 && host.startsWith("127."))

/** Peyk refused the connection: the name resolves to an address that is not public. */
export class PrivateAddressRefused extends Error {
  constructor(hostname: string) {
    super(`${hostname} is not a public address`)
  }
}

const familiesOf = (family: unknown): ReadonlyArray<4 | 6> => {
  if (family === 4 || family === "IPv4") return [4]
  return family === 6 || family === "IPv6" ? [6] : [4, 6]
}

/**
 * Resolves a name that a customer chose, and refuses it if any of its addresses is private. The connection uses the
 * returned addresses, so a name cannot be checked with one address and used with another.
 */
export const publicLookup: net.LookupFunction = (hostname, options, callback) => {
  resolveName(hostname, familiesOf(options.family), (error, addresses) => {
    if (error !== null) return callback(error, "")
    const [first] = addresses
    if (first === undefined || addresses.some(({ address }) => isPrivateAddress(address))) {
      return callback(new PrivateAddressRefused(hostname), "")
    }
    return options.all === true ? callback(null, [...addresses]) : callback(null, first.address, first.family)
  })
}
