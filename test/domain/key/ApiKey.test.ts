import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { KeyMode } from "../../../src/domain/customer/Customer.ts"
import { apiKeySecret, apiKeyStatus, looksLikeApiKey, visibleParts } from "../../../src/domain/ApiKey.ts"

const byte = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))
/** The form of 256 random bits. */
const random = Arbitrary.array(byte, { minLength: 32, maxLength: 32 }).pipe(
  Arbitrary.map((bytes) => Buffer.from(bytes).toString("base64url"))
)

const RANDOM = "abcdefghijklmnopqrstuvwxyz-_ABCDEFGHIJKLMNO"
const LIVE = `svc_live_${RANDOM}`

describe("the shape of a service key", () => {
  it.prop(
    "is that of every key that is made from 256 random bits",
    [KeyMode, random],
    ([mode, bits]) => {
      const secret = apiKeySecret(mode, bits)
      assert.strictEqual(secret, `${mode === "live" ? "svc_live_" : "svc_test_"}${bits}`)
      assert.isTrue(looksLikeApiKey(secret))
    },
    { arbitrary: { runs: 200 } }
  )

  it.prop(
    "is not that of a key with a character more or less",
    [KeyMode, random],
    ([mode, bits]) => {
      assert.isFalse(looksLikeApiKey(apiKeySecret(mode, `${bits}A`)))
      assert.isFalse(looksLikeApiKey(apiKeySecret(mode, bits.slice(1))))
    },
    { arbitrary: { runs: 50 } }
  )

  it.each([
    ["nothing", ""],
    ["a personal access token", `svc_pat_${RANDOM}`],
    ["another mode", `svc_prod_${RANDOM}`],
    ["capitals in the prefix", LIVE.replace("svc_live", "SVC_LIVE")],
    ["a space before it", ` ${LIVE}`],
    ["a line break after it", `${LIVE}\n`],
    ["a character that base64url has not", LIVE.replace("a", "+")],
    ["text before it", `apikey ${LIVE}`]
  ])("is not that of %s", (_, secret) => {
    assert.isTrue(looksLikeApiKey(LIVE))
    assert.isFalse(looksLikeApiKey(secret))
  })
})

describe("the visible parts of a service key", () => {
  it("are its first twelve and its last four characters", () => {
    assert.deepStrictEqual(visibleParts(LIVE), { prefix: "svc_live_abc", lastFour: "LMNO" })
  })
})

describe("the status of a service key", () => {
  const now = 1_800_000_000_000

  it.each([
    ["active", "it has no end", { expiresAt: null, revokedAt: null }],
    ["active", "its end is one millisecond ahead", { expiresAt: now + 1, revokedAt: null }],
    ["expired", "its end is this instant", { expiresAt: now, revokedAt: null }],
    ["expired", "its end has passed", { expiresAt: now - 1, revokedAt: null }],
    ["revoked", "it was revoked", { expiresAt: null, revokedAt: now - 1 }],
    ["revoked", "it was revoked before its end passed", { expiresAt: now - 1, revokedAt: now - 2 }]
  ])("is %s when %s", (status, _, key) => {
    assert.strictEqual(apiKeyStatus(key, now), status)
  })
})
