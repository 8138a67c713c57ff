import { type LookupAddress, promises } from "node:dns"

/** Uses no thread of Node's pool: a name whose servers hang does not delay other lookups. */
const resolver = new promises.Resolver({ timeout: 1500, tries: 2 })

type Found = (error: Error | null, addresses: ReadonlyArray<LookupAddress>) => void

const ofFamily = async (hostname: string, family: 4 | 6): Promise<ReadonlyArray<LookupAddress>> => {
  const addresses = await (family === 4 ? resolver.resolve4(hostname) : resolver.resolve6(hostname))
  return addresses.map((address) => ({ address, family }))
}

/** All addresses of a name in the DNS (not in this machine's own files). */
export const resolveName = (hostname: string, families: ReadonlyArray<4 | 6>, found: Found): void => {
  void Promise.allSettled(families.map((family) => ofFamily(hostname, family))).then((results) => {
    const addresses = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []))
    const failure = results.find((result) => result.status === "rejected")
    const reason: unknown = failure?.reason
    return addresses.length > 0
      ? found(null, addresses)
      : found(reason instanceof Error ? reason : new Error(`${hostname} stands for no address`), [])
  })
}
