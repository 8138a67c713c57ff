import { Result } from "effect"
import { groupsOf, ipFamily } from "../Networks.ts"

/** A network of the operator's file, and what people call it. */
export interface NamedNetwork {
  /** As the file has it: `203.0.113.0/24`, `2001:db8::/32`. */
  readonly network: string
  readonly name: string
}

/** Bounds of the file: in characters, in lines with a network, and in the networks that the guard would count. */
export const MAX_FILE_LENGTH = 2_000_000
export const MAX_NAMED = 20_000
const MAX_COUNTED_NETWORKS = 100_000
const MAX_NAME_LENGTH = 80

/** What the guard counts together: a /24 of IPv4; a /48 of IPv6, which is in the hash of each of its /64s. */
const UNITS = { 4: 24, 6: 48 } as const
const WIDEST = { 4: 8, 6: 29 } as const
const GROUP_BITS = 16
const BYTE_BITS = 8

const LINE = /^(\S+)\s+(\S.*)$/

/** The first bits of an address, as a number: 24 of IPv4, or 48 of IPv6. */
const unitOf = (address: string, family: 4 | 6): number =>
  family === 4
    ? address
        .split(".")
        .slice(0, UNITS[4] / BYTE_BITS)
        .reduce((sum, byte) => sum * 2 ** BYTE_BITS + Number(byte), 0)
    : (groupsOf(address) ?? [])
        .slice(0, UNITS[6] / GROUP_BITS)
        .reduce((sum, group) => sum * 2 ** GROUP_BITS + group, 0)

interface Parsed extends NamedNetwork {
  readonly family: 4 | 6
  readonly bits: number
}

const readNetwork = (text: string): Pick<Parsed, "family" | "bits"> | string => {
  const [address = "", length, ...rest] = text.split("/")
  const family = ipFamily(address)
  if (family === null || length === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length)) {
    return `${JSON.stringify(text.slice(0, 60))} is no network, such as 203.0.113.0/24 or 2001:db8::/32`
  }
  const bits = Number(length)
  if (bits < WIDEST[family] || bits > UNITS[family]) {
    return `an IPv${family} network has a length from /${WIDEST[family]} to /${UNITS[family]}: the guard counts each /${UNITS[family]} together`
  }
  return { family, bits }
}

const readLine = (line: string): Parsed | string => {
  const [, network = "", name = ""] = LINE.exec(line) ?? []
  if (network === "") return "a network and its name are expected, such as 203.0.113.0/24 AS64500 Example"
  const read = readNetwork(network)
  if (typeof read === "string") return read
  if (name.length > MAX_NAME_LENGTH) return `the name is longer than ${MAX_NAME_LENGTH} characters`
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name)) return "the name has a control character"
  return { network, name, ...read }
}

const countOf = ({ family, bits }: Parsed): number => 2 ** (UNITS[family] - bits)

/**
 * The networks of a file: one a line, then its name. Empty lines and lines that begin with # say nothing. Fails with a
 * sentence that names the first wrong line.
 */
export const parseNetworkNames = (text: string): Result.Result<ReadonlyArray<NamedNetwork>, string> => {
  if (text.length > MAX_FILE_LENGTH)
    return Result.fail(`the file is longer than ${MAX_FILE_LENGTH} characters`)
  const found: Array<Parsed> = []
  let counted = 0
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim()
    if (line === "" || line.startsWith("#")) continue
    const read = readLine(line)
    if (typeof read === "string") return Result.fail(`line ${index + 1}: ${read}`)
    counted += countOf(read)
    if (found.length === MAX_NAMED) return Result.fail(`line ${index + 1}: more than ${MAX_NAMED} networks`)
    if (counted > MAX_COUNTED_NETWORKS) {
      return Result.fail(
        `line ${index + 1}: the networks up to here have more than ${MAX_COUNTED_NETWORKS} parts (/24 of IPv4, /48 of IPv6)`
      )
    }
    found.push(read)
  }
  // the narrowest last: it names what it is a part of better
  return Result.succeed(
    found
      .toSorted((one, other) => countOf(other) - countOf(one))
      .map(({ network, name }) => ({ network, name }))
  )
}

const addressOf = (unit: number, family: 4 | 6): string => {
  if (family === 4) {
    const bytes = [2 ** 16, 2 ** 8, 1].map((size) => Math.floor(unit / size) % 2 ** BYTE_BITS)
    return `${bytes.join(".")}.0`
  }
  const groups = [2 ** 32, 2 ** 16, 1].map((size) => Math.floor(unit / size) % 2 ** GROUP_BITS)
  return `${groups.map((group) => group.toString(16)).join(":")}::`
}

/** An address of each /24, or of each /48, of a network. */
export const addressesIn = ({ network }: Pick<NamedNetwork, "network">): ReadonlyArray<string> => {
  const [address = "", length = ""] = network.split("/")
  const family = address.includes(":") ? 6 : 4
  const count = 2 ** (UNITS[family] - Number(length))
  const unit = unitOf(address, family)
  const first = unit - (unit % count)
  return Array.from({ length: count }, (_, index) => addressOf(first + index, family))
}
