import { Context, Option } from "effect"
import { BlockList, isIP } from "node:net"
import { plainAddress } from "../../domain/Networks.ts"

/** The parts of a request that show where it comes from. */
interface Origin {
  readonly headers: { readonly [name: string]: string | undefined }
  readonly remoteAddress: Option.Option<string>
}

/** How many proxies in front of this service append their client to `X-Forwarded-For`. */
export const TrustedProxies = Context.Reference<number>("peyk/http/server/ClientAddress/TrustedProxies", {
  defaultValue: () => 0
})

/** The client's network address; null if it is unknown. */
export const clientAddress = ({ headers, remoteAddress }: Origin, trustedProxies: number): string | null => {
  const direct = Option.getOrNull(remoteAddress)
  if (trustedProxies === 0 || direct === null) return direct === null ? null : plainAddress(direct)
  const path = [...(headers["x-forwarded-for"] ?? "").split(","), direct].filter((part) => part.trim() !== "")
  return plainAddress(path.at(-1 - trustedProxies) ?? path[0] ?? direct)
}

const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 4 ? "ipv4" : "ipv6")

const toBlockList = (networks: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const network of networks) {
    const [address = "", prefix] = network.split("/")
    if (prefix === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(prefix), familyOf(address))
  }
  return list
}

/** Keys are cached, and so are their networks. */
const blockLists = new WeakMap<ReadonlyArray<string>, BlockList>()

/** Whether an address is in one of these networks (CIDR). An unknown address is in none. */
export const isInNetworks = (address: string | null, networks: ReadonlyArray<string>): boolean => {
  if (address === null || isIP(address) === 0) return false
  const list = blockLists.get(networks) ?? toBlockList(networks)
  blockLists.set(networks, list)
  return list.check(address, familyOf(address))
}
