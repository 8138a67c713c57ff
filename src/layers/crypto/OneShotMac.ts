import { hash } from "node:crypto"

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
