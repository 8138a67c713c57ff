import { type Instant, MINUTE_MILLIS, SECOND_MILLIS } from "../Instant.ts"

/** Codes of authenticator apps: TOTP (RFC 6238) with SHA-1, 6 digits and steps of 30 s, which every app has. */
const STEP_SECONDS = 30
export const APP_CODE_DIGITS = 6
/** RFC 4226 recommends 160 bits. */
export const APP_KEY_BYTES = 20

const STEP_MILLIS = STEP_SECONDS * SECOND_MILLIS
/** A code is accepted one step early or late: clocks differ, and typing takes time. */
const TOLERATED_STEPS = 1

export const stepOf = (now: Instant): number => Math.floor(now / STEP_MILLIS)

/** What the key signs for a step: its number in 8 bytes. */
export const counterOf = (step: number): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(step))
  return bytes
}

/** The code in an HMAC (RFC 4226, "dynamic truncation"). */
export const codeIn = (mac: Uint8Array, digits = APP_CODE_DIGITS): string => {
  const offset = (mac.at(-1) ?? 0) & 0xf
  const number = new DataView(mac.buffer, mac.byteOffset + offset, 4).getUint32(0) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, "0")
}

/** The code of one key at a step. */
export type CodeAt = (step: number) => string

/** Compares in a time that does not depend on where they differ. */
const isSame = (given: string, expected: string): boolean => {
  let differences = given.length ^ expected.length
  for (let at = 0; at < expected.length; at += 1)
    differences |= given.charCodeAt(at) ^ expected.charCodeAt(at)
  return differences === 0
}

const around = (step: number, distance: number): ReadonlyArray<number> =>
  Array.from({ length: 2 * distance + 1 }, (_, index) => step - distance + index)

/** The step whose code this is; null: none near now, or none after `lastStep`, since each code is accepted once. */
export const matchingStep = (
  codeAt: CodeAt,
  given: string,
  now: Instant,
  lastStep: number
): number | null => {
  const matching = around(stepOf(now), TOLERATED_STEPS).filter((step) => isSame(given, codeAt(step)))
  return matching.find((step) => step > lastStep) ?? null
}

/** How far off a clock is recognized: a guess hits one of these codes once in 2,000 times, and is refused anyway. */
const MAX_OFF_STEPS = 2 * 120

/** By how many minutes the phone's clock is ahead (negative: behind), if its code is of another time; null: unknown. */
export const minutesOff = (codeAt: CodeAt, given: string, now: Instant): number | null => {
  const current = stepOf(now)
  for (let distance = TOLERATED_STEPS + 1; distance <= MAX_OFF_STEPS; distance += 1) {
    for (const off of [distance, -distance]) {
      if (isSame(given, codeAt(current + off))) return Math.round((off * STEP_MILLIS) / MINUTE_MILLIS)
    }
  }
  return null
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
const BASE32_BITS = 5

/** Base32 (RFC 4648) without padding, as apps take a key. */
export const base32 = (bytes: Uint8Array): string => {
  let text = ""
  let bits = 0
  let buffer = 0
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff
    for (bits += 8; bits >= BASE32_BITS; bits -= BASE32_BITS) {
      text += BASE32.charAt((buffer >> (bits - BASE32_BITS)) & 31)
    }
  }
  return bits === 0 ? text : text + BASE32.charAt((buffer << (BASE32_BITS - bits)) & 31)
}

/** The bytes of such a text. */
export const bytesOfBase32 = (text: string): Uint8Array => {
  const bytes = new Uint8Array(Math.floor((text.length * BASE32_BITS) / 8))
  let at = 0
  let bits = 0
  let buffer = 0
  for (const letter of text) {
    buffer = ((buffer << BASE32_BITS) | BASE32.indexOf(letter)) & 0xfff
    bits += BASE32_BITS
    if (bits < 8) continue
    bits -= 8
    bytes[at] = buffer >> bits
    at += 1
  }
  return bytes
}

/** What an app scans, or opens as a link. */
export const otpauthUri = (account: string, key: string): string => {
  const label = `${encodeURIComponent("Peyk")}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${key}&issuer=Peyk&algorithm=SHA1&digits=${APP_CODE_DIGITS}&period=${STEP_SECONDS}`
}
