import { Effect, Layer, Struct } from "effect"
import type { HashedClient } from "../../domain/people/Client.ts"
import { guardNetwork, HASH_DIGITS, NUMBER_DIGITS } from "../../domain/people/Networks.ts"
import { ClientHashes } from "../../services/verification/ClientHashes.ts"
import { MasterKey } from "../crypto/MasterKey.ts"

/** Enough that two values never share a hash by chance. */
const HASH_BYTES = HASH_DIGITS / 2
/** A /64 within its /48. */
const WITHIN_48 = /^(.+):([^:]+)::\/64$/

export const ClientHashesMac = Layer.effect(
  ClientHashes,
  Effect.map(MasterKey, (key) => {
    const mac = (kind: "network" | "agent" | "device", text: string) =>
      Buffer.from(key.mac("client-hash", `${kind}:${text}`))
    const hash = (kind: "network" | "agent" | "device", text: string): string =>
      mac(kind, text).toString("hex", 0, HASH_BYTES)
    const hashOfNetwork = (ip: string): string => {
      const network = guardNetwork(ip)
      const [, around, number] = WITHIN_48.exec(network) ?? []
      if (number === undefined) return hash("network", network)
      const bytes = mac("network", `${around}::/48`)
      const masked = Number.parseInt(number, 16) ^ bytes.readUInt16BE(HASH_BYTES)
      return bytes.toString("hex", 0, HASH_BYTES) + masked.toString(16).padStart(NUMBER_DIGITS, "0")
    }
    return ClientHashes.of({
      of: ({ ip, userAgent, deviceId, trusted }) => {
        const hashed: HashedClient = {
          ...(ip === undefined ? {} : { network: hashOfNetwork(ip) }),
          ...(userAgent === undefined ? {} : { agent: hash("agent", userAgent) }),
          ...(deviceId === undefined ? {} : { device: hash("device", deviceId) }),
          ...(trusted === true ? { trusted } : {})
        }
        return Struct.keys(hashed).length === 0 ? null : hashed
      }
    })
  })
)
