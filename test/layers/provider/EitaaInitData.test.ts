import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { verifyInitData, verifySharedContact } from "../../../src/layers/provider/adapters/EitaaInitData.ts"
import { EITAA_TOKEN, signedByEitaa } from "../../support/fakes/FakeEitaa.ts"

/** The example of Eitaa's documentation ("AuthorizationViaHash"), as it is. */
const OFFICIAL =
  "auth_date=1709144340&device_id=5d41402abc4b2a76b9719d911017c592&chat_instance=-3788475317572404878" +
  "&chat_type=private&user=%7B%22id%22%3A279058397%2C%22first_name%22%3A%22%D9%85%D9%87%D8%AF%DB%8C%22" +
  "%2C%22last_name%22%3A%22%D9%87%D8%A7%D8%B4%D9%85%DB%8C%22%2C%22language_code%22%3A%22fa%22" +
  "%2C%22allows_write_to_pm%22%3Atrue%7D&hash=c3bb1efcada7b75eec382110554ab07e57622e982a72cac38ba3e64f51d40bb9"
const AUTH_DATE = 1_709_144_340
const NOW = AUTH_DATE * 1000

const fields = { auth_date: String(AUTH_DATE), user: '{"id":279058397}' }
const shared = { auth_date: String(AUTH_DATE), contact: '{"phone":"989123456789","user_id":279058397}' }

const verify = (data: string, now = NOW) => verifyInitData(EITAA_TOKEN, data, now)
const verifyContact = (data: string, now = NOW) => verifySharedContact(EITAA_TOKEN, data, now)
const problemOf = (result: ReturnType<typeof verify> | ReturnType<typeof verifyContact>) =>
  Result.getOrThrow(Result.flip<unknown, { readonly message: string }>(result)).message

describe("eitaa: init data", () => {
  it("verifies as in the example of the documentation", () => {
    expect(verify(OFFICIAL)).toEqual(Result.succeed({ chatId: "279058397" }))
  })

  it("verifies in any order of its fields", () => {
    expect(verify(OFFICIAL.split("&").toReversed().join("&"))).toEqual(
      Result.succeed({ chatId: "279058397" })
    )
  })

  it("keeps a user id that is too long for a number", () => {
    const data = signedByEitaa({ ...fields, user: '{"id":204215121115944301}' })
    expect(verify(data)).toEqual(Result.succeed({ chatId: "204215121115944301" }))
  })

  it("holds with values that have =, & and + in them", () => {
    const data = signedByEitaa({ ...fields, start_param: "a=b&c+d e" })
    expect(Result.isSuccess(verify(data))).toBe(true)
  })

  const changed: ReadonlyArray<readonly [string, string]> = [
    ["another user", OFFICIAL.replace("279058397", "279058398")],
    ["another auth_date", OFFICIAL.replace("1709144340", "1709144341")],
    ["a field more", `${OFFICIAL}&start_param=x`],
    ["a field less", OFFICIAL.replace("&chat_type=private", "")],
    ["another hash", OFFICIAL.replace(/hash=c3/, "hash=c4")],
    ["the hash of another app", signedByEitaa(fields, "1:another")]
  ]
  it.each(changed)("is refused with %s", (_, data) => {
    expect(problemOf(verify(data))).toBe("has a wrong hash")
  })

  const hashless: ReadonlyArray<readonly [string, string]> = [
    ["nothing in it", ""],
    ["no hash", OFFICIAL.replace(/&hash=.*/, "")],
    ["an empty hash", OFFICIAL.replace(/&hash=.*/, "&hash=")],
    ["a short hash", OFFICIAL.slice(0, -1)],
    ["a long hash", `${OFFICIAL}0`],
    ["a hash that is no hex", OFFICIAL.replace(/&hash=.*/, `&hash=${"z".repeat(64)}`)],
    ["no query at all", "\u0000%%%=&&&"]
  ]
  it.each(hashless)("is refused with %s", (_, data) => {
    expect(problemOf(verify(data))).toBe("has no hash")
  })

  const doubled: ReadonlyArray<readonly [string, string]> = [
    ["user", `user=%7B%22id%22%3A1%7D&${OFFICIAL}`],
    ["hash", `${OFFICIAL}&hash=${"0".repeat(64)}`],
    ["auth_date", `${OFFICIAL}&auth_date=1709144340`]
  ]
  it.each(doubled)("is refused with %s twice", (_, data) => {
    expect(problemOf(verify(data))).toBe("has a key twice")
  })

  it("is refused where a line break lets one signed value pass for two", () => {
    const victim = '{"id":1}'
    const honest = { ...fields, start_param: `x\nuser=${victim}\nz=` }
    const { auth_date, user } = honest
    const hash = new URLSearchParams(signedByEitaa(honest)).get("hash") ?? ""
    const forged = String(
      new URLSearchParams({ auth_date, start_param: "x", user: victim, z: `\nuser=${user}`, hash })
    )
    expect(problemOf(verify(forged))).toBe("has a line break in a value")
  })

  const ages: ReadonlyArray<readonly [string, number, boolean]> = [
    ["24 hours old", 24 * 3_600_000, true],
    ["older than 24 hours", 24 * 3_600_000 + 1, false],
    ["5 minutes ahead", -5 * 60_000, true],
    ["more than 5 minutes ahead", -5 * 60_000 - 1, false]
  ]
  it.each(ages)("is taken from 24 hours old to 5 minutes ahead: %s", (_, age, isTaken) => {
    const result = verify(OFFICIAL, NOW + age)
    expect(Result.isSuccess(result)).toBe(isTaken)
    if (!isTaken) expect(problemOf(result)).toBe("is too old, or from the future")
  })

  it.each([[""], ["soon"], ["-5"], ["1e9"], ["99999999999999999999"]])(
    "is refused when its auth_date is %j",
    (auth_date) => {
      expect(problemOf(verify(signedByEitaa({ ...fields, auth_date })))).toBe("has no auth_date")
    }
  )

  const userless = ["", "{}", "[]", "null", "{", '{"id":null}', '{"id":0}', '{"id":-5}', '{"id":1.5}']
  it.each([...userless, '{"id":"@name"}', '{"id":12345678901234567890}', "[".repeat(2000)])(
    "is refused when its user is %s",
    (user) => {
      expect(problemOf(verify(signedByEitaa({ ...fields, user })))).toBe("has no user id")
    }
  )

  it("is refused without a user", () => {
    expect(problemOf(verify(signedByEitaa({ auth_date: String(AUTH_DATE) })))).toBe("has no user id")
  })

  it("is refused when it is a shared contact", () => {
    expect(problemOf(verify(signedByEitaa(shared)))).toBe("has no user id")
  })

  it("is read up to 8 KiB", () => {
    const ofBytes = (bytes: number) => {
      const padding = bytes - signedByEitaa({ ...fields, start_param: "" }).length
      return signedByEitaa({ ...fields, start_param: "x".repeat(padding) })
    }
    expect(Result.isSuccess(verify(ofBytes(8192)))).toBe(true)
    expect(problemOf(verify(ofBytes(8193)))).toBe("is too long")
    expect(problemOf(verify("ی".repeat(4097)))).toBe("is too long")
  })
})

describe("eitaa: a shared contact", () => {
  const told: ReadonlyArray<readonly [string, string, string, string | null]> = [
    ["phone", '{"phone":"989123456789","user_id":279058397}', "989123456789", "279058397"],
    ["phone_number", '{"phone_number":"+989123456789","user_id":"7"}', "+989123456789", "7"],
    ["a phone that is a number", '{"phone":989123456789}', "989123456789", null],
    ["no user id", '{"phone":"09123456789","first_name":"x"}', "09123456789", null],
    ["a null user id", '{"phone":"09123456789","user_id":null}', "09123456789", null],
    [
      "a long user id",
      '{"phone":"09123456789","user_id":204215121115944301}',
      "09123456789",
      "204215121115944301"
    ]
  ]
  it.each(told)("is read with %s", (_, contact, phone, chatId) => {
    const data = signedByEitaa({ ...shared, contact })
    expect(verifyContact(data)).toEqual(Result.succeed({ phone, chatId }))
  })

  const phoneless = ["", "{", "null", "{}", '{"phone":""}', '{"phone":null}', '{"phone":{}}']
  it.each([...phoneless, '{"phone":"09123456789","user_id":"me"}', '{"phone":"09123456789","user_id":0}'])(
    "is refused when it is %s",
    (contact) => {
      expect(problemOf(verifyContact(signedByEitaa({ ...shared, contact })))).toBe(
        "has no contact with a phone"
      )
    }
  )

  it("is refused when its phone was changed", () => {
    const data = signedByEitaa(shared).replace("989123456789", "989123456780")
    expect(problemOf(verifyContact(data))).toBe("has a wrong hash")
  })

  it("is refused when it is old, and when it does not say when it was signed", () => {
    expect(problemOf(verifyContact(signedByEitaa(shared), NOW + 25 * 3_600_000))).toBe(
      "is too old, or from the future"
    )
    expect(problemOf(verifyContact(signedByEitaa({ contact: shared.contact })))).toBe("has no auth_date")
  })

  it("is refused when it is init data", () => {
    expect(problemOf(verifyContact(OFFICIAL))).toBe("has no contact with a phone")
  })
})
