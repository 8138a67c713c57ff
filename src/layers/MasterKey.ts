import { Context, Layer, Redacted } from "effect"
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync
} from "node:crypto"

const IV_BYTES = 12
/** Drawn at once: a call costs microseconds whatever its size. */
const POOLED_IVS = 256
const TAG_BYTES = 16

export type KeyPurpose =
  | "code-hash"
  | "code-seal"
  | "account-settings"
  | "secret-check"
  | "inbox-address"
  | "inbox-secret"
  | "management-answer"
  | "signing-key"
  | "webhook-secret"

/** Everything that is kept secret hangs on the master secret; each purpose has a key of its own (HKDF-SHA256). */
export class MasterKey extends Context.Service<
  MasterKey,
  {
    /** HMAC-SHA256. */
    readonly mac: (purpose: KeyPurpose, text: string) => Uint8Array
    /** AES-256-GCM, bound to `context`: iv, ciphertext, tag. */
    readonly seal: (purpose: KeyPurpose, context: string, text: string) => Uint8Array
    /** Throws when the bytes were changed or belong to another context. */
    readonly open: (purpose: KeyPurpose, context: string, sealed: Uint8Array) => string
  }
>()("peyk/layers/MasterKey") {
  static readonly layer = (secret: Redacted.Redacted<Uint8Array>) =>
    Layer.sync(MasterKey, () => {
      const keys = new Map<KeyPurpose, KeyObject>()
      const ivs = Buffer.alloc(IV_BYTES * POOLED_IVS)
      let usedIvs = POOLED_IVS
      const nextIv = (): Buffer => {
        if (usedIvs === POOLED_IVS) {
          randomFillSync(ivs)
          usedIvs = 0
        }
        const start = IV_BYTES * usedIvs++
        return Buffer.from(ivs.subarray(start, start + IV_BYTES))
      }
      const keyFor = (purpose: KeyPurpose): KeyObject => {
        const known = keys.get(purpose)
        if (known !== undefined) return known
        const bytes = hkdfSync("sha256", Redacted.value(secret), "", `peyk/${purpose}`, 32)
        const key = createSecretKey(Buffer.from(bytes))
        keys.set(purpose, key)
        return key
      }
      return MasterKey.of({
        mac: (purpose, text) => createHmac("sha256", keyFor(purpose)).update(text).digest(),
        seal: (purpose, context, text) => {
          const iv = nextIv()
          const cipher = createCipheriv("aes-256-gcm", keyFor(purpose), iv).setAAD(Buffer.from(context))
          return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
        },
        open: (purpose, context, sealed) => {
          const iv = sealed.subarray(0, IV_BYTES)
          const decipher = createDecipheriv("aes-256-gcm", keyFor(purpose), iv, { authTagLength: TAG_BYTES })
          decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-TAG_BYTES))
          const text = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES))
          return Buffer.concat([text, decipher.final()]).toString("utf8")
        }
      })
    })
}
