import { Effect, Layer, Struct } from "effect"
import type { HashedClient } from "../../domain/people/Client.ts"
import { guardNetwork } from "../../domain/people/Networks.ts"
import { ClientHashes } from "../../services/verification/ClientHashes.ts"
import { MasterKey } from "../crypto/MasterKey.ts"

/** Enough that two values never share a hash by chance. */
const HASH_BYTES = 16

export const ClientHashesMac = Layer.effect(
  ClientHashes,
  Effect.map(MasterKey, (key) => {
    const hash = (kind: "network" | "agent" | "device", text: string): string =>
      Buffer.from(key.mac("client-hash", `${kind}:${text}`).subarray(0, HASH_BYTES)).toString("hex")
    return ClientHashes.of({
      of: ({ ip, userAgent, deviceId, trusted }) => {
        const hashed: HashedClient = {
          ...(ip === undefined ? {} : { network: hash("network", guardNetwork(ip)) }),
          ...(userAgent === undefined ? {} : { agent: hash("agent", userAgent) }),
          ...(deviceId === undefined ? {} : { device: hash("device", deviceId) }),
          ...(trusted === true ? { trusted } : {})
        }
        return Struct.keys(hashed).length === 0 ? null : hashed
      }
    })
  })
)
