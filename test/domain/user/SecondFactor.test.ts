import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { createHmac } from "node:crypto"
import {
  isNeeded,
  isOfferOpen,
  readFactor,
  RECOVERY_CODE_BYTES,
  recoveryCode
} from "../../../src/domain/user/SecondFactor.ts"
import {
  APP_KEY_BYTES,
  base32,
  bytesOfBase32,
  type CodeAt,
  codeIn,
  counterOf,
  matchingStep,
  minutesOff,
  otpauthUri,
  stepOf
} from "../../../src/domain/user/Totp.ts"

const hmac = (key: Uint8Array | string, step: number, algorithm = "sha1"): Uint8Array =>
  createHmac(algorithm, key).update(counterOf(step)).digest()

const codesOf =
  (key: Uint8Array | string): CodeAt =>
  (step) =>
    codeIn(hmac(key, step))

const KEY = "12345678901234567890"
const codeAt = codesOf(KEY)
const STEP = 30_000
const UNUSED = -1

/** An instant, and a key by its seed. */
const Case = Schema.Struct({
  now: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_102_444_800_000 })),
  seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
})

describe("the codes of an app", () => {
  // RFC 6238, appendix B
  it.each([
    [59, "94287082", "46119246", "90693936"],
    [1_111_111_109, "07081804", "68084774", "25091201"],
    [1_111_111_111, "14050471", "67062674", "99943326"],
    [1_234_567_890, "89005924", "91819424", "93441116"],
    [2_000_000_000, "69279037", "90698825", "38618901"],
    [20_000_000_000, "65353130", "77737706", "47863826"]
  ])("are those of RFC 6238 at %d s", (seconds, sha1, sha256, sha512) => {
    const step = stepOf(seconds * 1000)
    const repeated = (length: number) => KEY.repeat(4).slice(0, length)
    assert.strictEqual(codeIn(hmac(KEY, step), 8), sha1)
    assert.strictEqual(codeIn(hmac(repeated(32), step, "sha256"), 8), sha256)
    assert.strictEqual(codeIn(hmac(repeated(64), step, "sha512"), 8), sha512)
    assert.strictEqual(codeAt(step), sha1.slice(-6))
  })

  it("are those of RFC 4226, appendix D", () => {
    const codes = [
      "755224",
      "287082",
      "359152",
      "969429",
      "338314",
      "254676",
      "287922",
      "162583",
      "399871",
      "520489"
    ]
    assert.deepStrictEqual(
      codes.map((_, step) => codeAt(step)),
      codes
    )
  })

  it.prop(
    "are accepted in their own step and the ones before and after, and in no other",
    [Case],
    ([{ now, seed }]) => {
      const codes = codesOf(String(seed))
      const step = stepOf(now)
      for (const off of [-3, -2, -1, 0, 1, 2, 3]) {
        const given = codes(step + off)
        const isNear = [-1, 0, 1].some((near) => codes(step + near) === given)
        assert.strictEqual(matchingStep(codes, given, now, UNUSED - 4) !== null, isNear)
      }
    }
  )

  it.prop("are accepted once, and none of an earlier step after that", [Case], ([{ now, seed }]) => {
    const codes = codesOf(String(seed))
    const accepted = matchingStep(codes, codes(stepOf(now)), now, UNUSED - 4) ?? 0
    assert.isNull(matchingStep(() => codes(accepted), codes(accepted), now, stepOf(now) + 1))
    const earlier = matchingStep(codes, codes(accepted - 1), now, accepted)
    assert.isTrue(earlier === null || earlier > accepted)
  })

  it("of other lengths are none", () => {
    for (const given of ["", "28708", "2870820", "abcdef"])
      assert.isNull(matchingStep(codeAt, given, STEP, UNUSED))
    assert.strictEqual(matchingStep(codeAt, "287082", STEP, UNUSED), 1)
  })
})

describe("a phone's clock", () => {
  const now = 1_790_000_000_000
  const codes = codesOf("a key that has no code twice here")
  const at = (minutes: number) => codes(stepOf(now + minutes * 60_000))

  it.each([60, -60, 30, -30, 2, -2, 120, -120])("that is %d minutes off is noticed", (minutes) => {
    assert.isNull(matchingStep(codes, at(minutes), now, UNUSED))
    assert.strictEqual(minutesOff(codes, at(minutes), now), minutes)
  })

  it("is not blamed for a code of no time near", () => {
    assert.isNull(minutesOff(codes, at(60 * 24), now))
  })
})

describe("the key of an app", () => {
  it("is written as apps take it", () => {
    // RFC 4648, section 10
    const vectors = {
      f: "MY",
      fo: "MZXQ",
      foo: "MZXW6",
      foob: "MZXW6YQ",
      fooba: "MZXW6YTB",
      foobar: "MZXW6YTBOI"
    }
    for (const [text, expected] of Object.entries(vectors))
      assert.strictEqual(base32(Buffer.from(text)), expected)
    for (const [text, written] of Object.entries(vectors))
      assert.strictEqual(Buffer.from(bytesOfBase32(written)).toString(), text)
    assert.strictEqual(base32(new Uint8Array(APP_KEY_BYTES)).length, 32)
    assert.strictEqual(
      otpauthUri("sara+a@example.ir", "MZXW6"),
      "otpauth://totp/Peyk:sara%2Ba%40example.ir?secret=MZXW6&issuer=Peyk&algorithm=SHA1&digits=6&period=30"
    )
  })

  it("waits a quarter of an hour for its form", () => {
    assert.isTrue(isOfferOpen(1000, 1000))
    assert.isTrue(isOfferOpen(0, 899_999))
    assert.isFalse(isOfferOpen(0, 900_000))
    assert.isFalse(isOfferOpen(1, 0))
  })
})

describe("what a person enters", () => {
  it.each(["287082", " 287 082 ", "۲۸۷۰۸۲", "٢٨٧-٠٨٢", "\u200e287082"])(
    "is a code of the app: %j",
    (text) => {
      assert.deepStrictEqual(readFactor(text), { kind: "app", code: "287082" })
    }
  )

  it.prop("is a recovery code in any form", [Case], ([{ seed }]) => {
    const bytes = hmac(String(seed), 0).subarray(0, RECOVERY_CODE_BYTES)
    const code = recoveryCode(bytes)
    const factor = { kind: "recovery_code", code } as const
    for (const text of [
      code,
      code.toUpperCase(),
      code.replaceAll("-", " "),
      ` ${code.replaceAll("-", "")}\n`
    ])
      assert.deepStrictEqual(readFactor(text), factor)
  })

  it.each(["", "28708", "2870820", "abcdef", "abcde-fghij-klmno-pqrst-uvwxy", "a".repeat(10_000)])(
    "can be neither: %j",
    (text) => {
      assert.isNull(readFactor(text))
    }
  )
})

describe("somebody who must have a second factor", () => {
  const passkey = { id: "a", name: "Phone", createdAt: 0, lastUsedAt: null }
  it("keeps the last one", () => {
    const state = { appSince: 0, passkeys: [], recoveryCodes: 10, isRequired: true }
    assert.isTrue(isNeeded(state))
    assert.isTrue(isNeeded({ ...state, appSince: null, passkeys: [passkey] }))
    assert.isFalse(isNeeded({ ...state, passkeys: [passkey] }))
    assert.isFalse(isNeeded({ ...state, isRequired: false }))
  })
})
