import { Context, Option } from "effect"
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
