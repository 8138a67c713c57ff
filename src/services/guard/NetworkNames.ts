import { Context, Effect, Layer } from "effect"
import { HASH_DIGITS } from "../../domain/Networks.ts"
import { addressesIn, type NamedNetwork } from "../../domain/guard/NetworkNames.ts"
import { narrowKey } from "../../domain/guard/Segments.ts"
import { ClientHashes } from "../verification/Codes.ts"

/** The networks of the operator's file, the narrowest last. */
export const NamedNetworks = Context.Reference<ReadonlyArray<NamedNetwork>>(
  "peyk/services/guard/NetworkNames/NamedNetworks",
  { defaultValue: () => [] }
)

/** So many hashes are made before others have a turn: about a millisecond. */
const HASHES_A_TURN = 32

/**
 * What people call the network of an alarm. The store has keyed hashes of networks only: the networks of the file are
 * hashed likewise, when somebody looks for the first time.
 */
export class NetworkNames extends Context.Service<
  NetworkNames,
  {
    /** @param key that of a segment of the kind `network` */
    readonly nameOf: (key: string) => Effect.Effect<NamedNetwork | null>
  }
>()("peyk/services/guard/NetworkNames") {
  static readonly layer = Layer.effect(
    NetworkNames,
    Effect.gen(function* () {
      const networks = yield* NamedNetworks
      const hashes = yield* ClientHashes
      // of IPv6 that of the /48, with which the hash of each of its parts begins
      const keyOf = (ip: string) => (hashes.of({ ip })?.network ?? "").slice(0, HASH_DIGITS)
      const table = yield* Effect.cached(
        Effect.gen(function* () {
          const named = new Map<string, NamedNetwork>()
          let made = 0
          for (const network of networks) {
            for (const ip of addressesIn(network)) {
              named.set(keyOf(ip), network)
              made += 1
              if (made % HASHES_A_TURN === 0) yield* Effect.yieldNow
            }
          }
          return named
        })
      )
      return NetworkNames.of({
        nameOf: (key) =>
          networks.length === 0
            ? Effect.succeed(null)
            : Effect.map(table, (named) => named.get(narrowKey(key).slice(0, HASH_DIGITS)) ?? null)
      })
    })
  )
}
