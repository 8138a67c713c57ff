import { Context, Layer, Redacted } from "effect"
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes
} from "node:crypto"
import { oneShotMac } from "./OneShotMac.ts"

const IV_BYTES = 12
const TAG_BYTES = 16

export type KeyPurpose =
  | "code-hash"
  | "code-mask"
  | "code-tag"
  | "account-settings"
  | "client-hash"
  | "secret-check"
  | "inbox-address"
  | "inbox-secret"
  | "known-browser"
  | "management-answer"
  | "signing-key"
  | "webhook-secret"

/** Every secret depends on the master secret; each purpose has its own key (HKDF-SHA256). */
export class MasterKey extends Context.Service<
  MasterKey,
  {
    /** HMAC-SHA256. */
    readonly mac: (purpose: KeyPurpose, text: string) => Uint8Array
    /** AES-256-GCM, bound to `context`: iv, ciphertext, tag. */
    readonly seal: (purpose: KeyPurpose, context: string, text: string) => Uint8Array
    /** Throws if the bytes were changed or belong to another context. */
    readonly open: (purpose: KeyPurpose, context: string, sealed: Uint8Array) => string
  }
>()("peyk/layers/crypto/MasterKey") {
  static readonly layer = (secret: Redacted.Redacted<Uint8Array>) =>
    Layer.sync(MasterKey, () => {
      const keys = new Map<
        KeyPurpose,
        { readonly key: KeyObject; readonly mac: (text: string) => Uint8Array }
      >()
      const keyFor = (purpose: KeyPurpose) => {
        const known = keys.get(purpose)
        if (known !== undefined) return known
        const bytes = Buffer.from(hkdfSync("sha256", Redacted.value(secret), "", `peyk/${purpose}`, 32))
        const made = { key: createSecretKey(bytes), mac: oneShotMac(bytes) }
        keys.set(purpose, made)
        return made
      }
      return MasterKey.of({
        mac: (purpose, text) => keyFor(purpose).mac(text),
        seal: (purpose, context, text) => {
          const iv = randomBytes(IV_BYTES)
          const cipher = createCipheriv("aes-256-gcm", keyFor(purpose).key, iv).setAAD(Buffer.from(context))
          return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
        },
        open: (purpose, context, sealed) => {
          const iv = sealed.subarray(0, IV_BYTES)
          const decipher = createDecipheriv("aes-256-gcm", keyFor(purpose).key, iv, {
            authTagLength: TAG_BYTES
          })
          decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-TAG_BYTES))
          const text = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES))
          return Buffer.concat([text, decipher.final()]).toString("utf8")
        }
      })
    })
}
