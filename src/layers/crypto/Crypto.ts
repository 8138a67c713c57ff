import { Context, Effect, Layer, Redacted, Struct } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomFillSync,
  timingSafeEqual
} from "node:crypto"
import type { HashedClient } from "../../domain/customer/Client.ts"
import { guardNetwork, HASH_DIGITS, NUMBER_DIGITS } from "../../domain/Networks.ts"
import { ClientHashes, CodeVault } from "../../services/verification/Codes.ts"

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
/** Longer texts are rare, and get a buffer of their own. */
const SCRATCH_BYTES = 1024

const padded = (key: Uint8Array, pad: number): Buffer => {
  const block = Buffer.alloc(BLOCK_BYTES, pad)
  key.forEach((byte, index) => {
    block[index] = byte ^ pad
  })
  return block
}

/**
 * HMAC-SHA256 (RFC 2104) of UTF-8 texts under one key of at most 64 bytes, by two one-call hashes. An object per code,
 * with its finalizer, costs more than the hash.
 */
export const oneShotMac = (key: Uint8Array): ((text: string) => Buffer) => {
  const inner = Buffer.concat([padded(key, 0x36), Buffer.alloc(SCRATCH_BYTES)])
  const outer = Buffer.concat([padded(key, 0x5c), Buffer.alloc(DIGEST_BYTES)])
  const innerHash = (text: string): string => {
    if (text.length * 3 > SCRATCH_BYTES) {
      return hash("sha256", Buffer.concat([inner.subarray(0, BLOCK_BYTES), Buffer.from(text)]), "latin1")
    }
    const length = inner.write(text, BLOCK_BYTES)
    return hash("sha256", inner.subarray(0, BLOCK_BYTES + length), "latin1")
  }
  return (text) => {
    outer.write(innerHash(text), BLOCK_BYTES, "latin1")
    return Buffer.from(hash("sha256", outer, "latin1"), "latin1")
  }
}

const IV_BYTES = 12
const TAG_BYTES = 16

export type KeyPurpose =
  | "alert-code"
  | "code-hash"
  | "code-mask"
  | "code-tag"
  | "account-settings"
  | "client-hash"
  | "refused-phone"
  | "second-factor"
  | "second-factor-offer"
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
>()("peyk/layers/crypto/Crypto/MasterKey") {
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

const SECRET_BYTES = 32

/** The random part of a key, a token or a session: 256 bits. */
export const randomPart = (random: SecureRandom.SecureRandom["Service"]) =>
  Effect.map(random.randomBytes(SECRET_BYTES), (bytes) => Buffer.from(bytes).toString("base64url"))

/** What is stored of a secret with such a part. */
export const hashSecret = (secret: string): Buffer => hash("sha256", secret, "buffer")

/** The cache key of a secret: the memory never contains the secret itself. */
export const cacheKeyOf = (secret: string): string => hash("sha256", secret, "hex")

const POOL_BYTES = 8192

/** Each byte is used once, and wiped from the pool. */
const makePooledBytes = () => {
  const pool = new Uint8Array(POOL_BYTES)
  let used = POOL_BYTES
  return (size: number): Uint8Array => {
    if (size > POOL_BYTES) return randomFillSync(new Uint8Array(size))
    if (used + size > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = pool.slice(used, used + size)
    pool.fill(0, used, used + size)
    used += size
    return bytes
  }
}

/** If the clock is set back by less, ids stay in order, and are ahead of the clock for that long. */
const MAX_AHEAD_MILLIS = 1000

/**
 * The CSPRNG, read in large blocks: a call costs microseconds whatever its size, and a send needs half a dozen ids.
 * The generator's ids never go back in time. After a clock that was an hour ahead, they would be an hour ahead for an
 * hour, and searches by time would not find their rows. So a clock that is set back gets a new generator.
 */
export const PooledRandom = Layer.sync(SecureRandom.SecureRandom, () => {
  const bytes = makePooledBytes()
  const first = SecureRandom.make(bytes)
  let current = first
  let latest = 0

  const generatorAt = (now: number) => {
    if (now < latest - MAX_AHEAD_MILLIS) {
      current = SecureRandom.make(bytes)
      latest = now
    }
    latest = Math.max(latest, now)
    return current
  }
  const uuidV7 = (options?: { readonly format?: "string" }) =>
    Effect.clockWith((clock) => generatorAt(clock.currentTimeMillisUnsafe()).uuidV7(options))
  return { ...first, uuidV7: uuidV7 as typeof first.uuidV7 }
})

/** Hashes in one call, without an object for each: for the small texts that identify requests. */
export const OneShotDigest = Layer.succeed(
  Digest.Digest,
  Digest.Digest.of({
    digest: ({ name }, data) => Effect.sync(() => Buffer.from(hash(name, data, "latin1"), "latin1")),
    digestHex: ({ name }, data) => Effect.sync(() => hash(name, data, "hex"))
  })
)
