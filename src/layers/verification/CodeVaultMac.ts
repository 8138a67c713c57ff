import { Effect, Layer } from "effect"
import { timingSafeEqual } from "node:crypto"
import { CodeVault } from "../../services/verification/CodeVault.ts"
import { MasterKey } from "../crypto/MasterKey.ts"

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
