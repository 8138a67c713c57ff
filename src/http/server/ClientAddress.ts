import { Context, Option } from "effect"

/** The parts of a request that show where it comes from. */
interface Origin {
  readonly headers: { readonly [name: string]: string | undefined }
  readonly remoteAddress: Option.Option<string>
}

/** How many proxies in front of this service append their client to `X-Forwarded-For`. */
export const TrustedProxies = Context.Reference<number>("peyk/http/server/ClientAddress/TrustedProxies", {
  defaultValue: () => 0
})

/** An IPv4 address can come in IPv6 form. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "").trim()

/** The client's network address; null if it is unknown. */
export const clientAddress = ({ headers, remoteAddress }: Origin, trustedProxies: number): string | null => {
  const direct = Option.getOrNull(remoteAddress)
  if (trustedProxies === 0 || direct === null) return direct === null ? null : plain(direct)
  const path = [...(headers["x-forwarded-for"] ?? "").split(","), direct].filter((part) => part.trim() !== "")
  return plain(path.at(-1 - trustedProxies) ?? path[0] ?? direct)
}
