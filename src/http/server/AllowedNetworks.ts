import { BlockList, isIP } from "node:net"

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
