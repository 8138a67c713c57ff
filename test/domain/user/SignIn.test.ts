import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Option, Schema } from "effect"
import { looksLikeToken, tokenSecret } from "../../../src/domain/PersonalToken.ts"
import { Role, Scope } from "../../../src/domain/user/Actor.ts"
import {
  externalActor,
  isTimely,
  type SessionClaims,
  userActor,
  looksLikeRefreshToken,
  refreshSecret
} from "../../../src/domain/user/Sessions.ts"
import { isEmail, normalizeEmail } from "../../../src/domain/user/User.ts"
import {
  CURRENT_COST,
  formatHash,
  isOutdated,
  isPassword,
  parseHash
} from "../../../src/domain/user/Password.ts"

const between = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))
const bytes = (length: number) =>
  Arbitrary.array(between(0, 255), { minLength: length, maxLength: length }).pipe(
    Arbitrary.map((all) => new Uint8Array(all))
  )
const secret = bytes(32).pipe(Arbitrary.map((all) => Buffer.from(all).toString("base64url")))

describe("a password's hash", () => {
  it.prop(
    "is read as it was written, with what it cost",
    [bytes(16), bytes(32), between(8, 9_999_999), between(1, 999), between(1, 99)],
    ([nonce, tag, memory, passes, parallelism]) => {
      const hash = { cost: { memory, passes, parallelism }, nonce, tag }
      assert.deepStrictEqual(Option.getOrThrow(parseHash(formatHash(hash))), hash)
    },
    { arbitrary: { runs: 100 } }
  )

  it("is outdated at any cost but today's", () => {
    const hash = { cost: CURRENT_COST, nonce: new Uint8Array(16), tag: new Uint8Array(32) }
    assert.isFalse(isOutdated(hash))
    assert.isTrue(isOutdated({ ...hash, cost: { ...CURRENT_COST, passes: 3 } }))
  })

  it.each(["", "x", "$argon2i$v=19$m=1,t=1,p=1$AAAA$AAAA", "$argon2id$v=19$m=1,t=1,p=1$A$AAAA"])(
    "is not %j",
    (text) => assert.isTrue(Option.isNone(parseHash(text)))
  )
})

describe("secrets", () => {
  it.prop("of 256 bits look like what they are, and like nothing else", [secret], ([bits]) => {
    assert.isTrue(looksLikeToken(tokenSecret(bits)))
    assert.isTrue(looksLikeRefreshToken(refreshSecret(bits)))
    assert.isFalse(looksLikeToken(refreshSecret(bits)))
    assert.isFalse(looksLikeToken(`${tokenSecret(bits)}A`))
  })
})

describe("whom a JWT speaks for", () => {
  const role = Arbitrary.schema(Role)
  const scope = Arbitrary.schema(Scope)
  const base: SessionClaims = {
    iss: "i",
    sub: "s",
    jti: "j",
    iat: 0,
    exp: 1,
    customer_id: 1,
    scope: "full"
  }

  it.prop("may never do more than both its scope and the role allow", [role, scope], ([is, may]) => {
    const user = { id: "u", customerId: 1, name: "n", role: is }
    for (const actor of [userActor(user, may), externalActor({ ...base, scope: may, role: is })]) {
      assert.strictEqual(actor.scope === "full", may === "full" && is !== "viewer")
      assert.strictEqual(actor.isOwner, may === "full" && is === "owner")
    }
  })

  it.prop(
    "is heard from when it was issued until it ends, give or take half a minute",
    [between(0, 2_000_000_000), between(1, 86_400), between(-100_000, 100_000)],
    ([iat, life, offset]) => {
      const now = iat + offset
      const expected = offset >= -30 && offset < life + 30
      assert.strictEqual(isTimely({ iat, exp: iat + life }, now * 1000), expected)
    }
  )
})

describe("an e-mail address", () => {
  it.each(["a@b.ir", "sara.k+x@mail.example.ir", "سارا@نمونه.ایران"])("can be %s", (email) =>
    assert.isTrue(isEmail(normalizeEmail(` ${email.toUpperCase()} `)))
  )
  it.each(["", "a", "a@b", "a b@c.ir", "a@b.ir\u0000", "a@b@c.ir", `${"x".repeat(250)}@b.ir`, "<a@b.ir>"])(
    "cannot be %j",
    (email) => assert.isFalse(isEmail(normalizeEmail(email)))
  )
})

describe("a password", () => {
  it.prop("has 8 to 1024 characters, of whatever script", [between(0, 1100)], ([length]) => {
    for (const character of ["x", "پ", "🔑"]) {
      assert.strictEqual(isPassword(character.repeat(length)), length >= 8 && length <= 1024)
    }
  })
})
