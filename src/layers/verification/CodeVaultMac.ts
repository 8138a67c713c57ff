import { Effect, Layer, Struct } from "effect"
import { timingSafeEqual } from "node:crypto"
import type { HashedClient } from "../../domain/customer/Client.ts"
import { guardNetwork, HASH_DIGITS, NUMBER_DIGITS } from "../../domain/Networks.ts"
import { MasterKey } from "../crypto/Crypto.ts"
import { ClientHashes, CodeVault } from "../../services/verification/Codes.ts"

const TAG_BYTES = 16

/**
 * A code is masked with bytes that only the master secret and its verification's id give, and that mask nothing else,
 * as a verification never has a second code; then a tag is put to it. A cipher object for each code cost five times
 * as much.
 */
export const CodeVaultMac = Layer.effect(
  CodeVault,
  Effect.map(MasterKey, (key) => {
    const masked = (id: string, bytes: Uint8Array): Buffer => {
      const mask = key.mac("code-mask", id)
      return Buffer.from(bytes.map((byte, index) => byte ^ (mask[index] ?? 0)))
    }
    const tagOf = (id: string, sealed: Buffer): Uint8Array =>
      key.mac("code-tag", `${id}:${sealed.toString("latin1")}`).subarray(0, TAG_BYTES)

    const seal = (id: string, code: string): Uint8Array => {
      const sealed = masked(id, Buffer.from(code, "latin1"))
      return Buffer.concat([sealed, tagOf(id, sealed)])
    }
    const open = (id: string, sealed: Uint8Array): string => {
      const bytes = Buffer.from(sealed.subarray(0, -TAG_BYTES))
      if (!timingSafeEqual(tagOf(id, bytes), sealed.subarray(-TAG_BYTES))) {
        throw new Error("a sealed code was changed, or is another verification's")
      }
      return masked(id, bytes).toString("latin1")
    }
    return CodeVault.of({
      hash: (id, code) => key.mac("code-hash", `${id}:${code}`),
      seal,
      open: (id, sealed) => Effect.sync(() => open(id, sealed))
    })
  })
)

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
