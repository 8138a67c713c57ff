import { Data, Option, Result, Schema } from "effect"
import { createHmac, timingSafeEqual } from "node:crypto"
import { DAY_MILLIS, type Instant, MINUTE_MILLIS } from "../../../domain/Instant.ts"
import { readExactJson } from "../../../domain/text/Fingerprints.ts"

/** Why a string is not signed by Eitaa; `message` is for people. */
class InitDataProblem extends Data.TaggedError("InitDataProblem")<{ readonly message: string }> {}

type Pairs = ReadonlyArray<readonly [key: string, value: string]>

const MAX_BYTES = 8 * 1024
const MAX_AGE_MILLIS = DAY_MILLIS
const MAX_AHEAD_MILLIS = 5 * MINUTE_MILLIS

const problem = (message: string) => Result.fail(new InitDataProblem({ message }))

const hmac = (key: string | Buffer, message: string): Buffer =>
  createHmac("sha256", key).update(message).digest()

/** The signed text: the pairs without the hash, sorted, one per line. */
const signedText = (pairs: Pairs): string =>
  pairs
    .filter(([key]) => key !== "hash")
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join("\n")

const readPairs = (data: string): Result.Result<Pairs, InitDataProblem> => {
  if (Buffer.byteLength(data) > MAX_BYTES) return problem("is too long")
  const pairs = [...new URLSearchParams(data)]
  if (new Map(pairs).size !== pairs.length) return problem("has a key twice")
  // A line break inside a pair could be signed as one pair and read as two.
  return pairs.some((pair) => pair.join("").includes("\n"))
    ? problem("has a line break in a value")
    : Result.succeed(pairs)
}

const isSigned = (token: string, pairs: Pairs, hash: string): boolean =>
  timingSafeEqual(Buffer.from(hash, "hex"), hmac(hmac("WebAppData", token), signedText(pairs)))

const isFresh = (authDate: string, now: Instant): boolean => {
  const age = now - Number(authDate) * 1000
  return age <= MAX_AGE_MILLIS && age >= -MAX_AHEAD_MILLIS
}

/** The fields of a string that Eitaa recently signed for the app of this token. */
const verified = (
  token: string,
  data: string,
  now: Instant
): Result.Result<ReadonlyMap<string, string>, InitDataProblem> =>
  Result.flatMap(readPairs(data), (pairs) => {
    const fields = new Map(pairs)
    const hash = fields.get("hash") ?? ""
    if (!/^[0-9a-f]{64}$/.test(hash)) return problem("has no hash")
    if (!isSigned(token, pairs, hash)) return problem("has a wrong hash")
    const authDate = fields.get("auth_date") ?? ""
    if (!/^\d{1,12}$/.test(authDate)) return problem("has no auth_date")
    return isFresh(authDate, now) ? Result.succeed(fields) : problem("is too old, or from the future")
  })

/** A number, or its digits if it is too long for one. */
const Digits = Schema.Union([Schema.Int, Schema.String])
const UserId = Digits.check(Schema.makeFilter((id) => /^[1-9]\d{0,18}$/.test(String(id))))
const readUser = Schema.decodeUnknownOption(Schema.Struct({ id: UserId }))

/** Its fields are undocumented; both spellings of the phone occur. */
const Contact = Schema.Struct({
  phone: Schema.optionalKey(Digits),
  phone_number: Schema.optionalKey(Digits),
  user_id: Schema.optionalKey(Schema.NullOr(UserId))
})
const readContact = Schema.decodeUnknownOption(Contact)

const readJson = (text: string | undefined): unknown => Result.getOrUndefined(readExactJson(text ?? ""))

/** The person who opened the mini-app, from its init data. */
export const verifyInitData = (
  token: string,
  initData: string,
  now: Instant
): Result.Result<{ readonly chatId: string }, InitDataProblem> =>
  Result.flatMap(verified(token, initData, now), (fields) =>
    Option.match(readUser(readJson(fields.get("user"))), {
      onNone: () => problem("has no user id"),
      onSome: ({ id }) => Result.succeed({ chatId: String(id) })
    })
  )

/** The contact that a person shared with the mini-app; `chatId` is null if it names no user. */
export const verifySharedContact = (
  token: string,
  contactData: string,
  now: Instant
): Result.Result<{ readonly phone: string; readonly chatId: string | null }, InitDataProblem> =>
  Result.flatMap(verified(token, contactData, now), (fields) => {
    const contact = Option.getOrNull(readContact(readJson(fields.get("contact"))))
    const phone = String(contact?.phone_number ?? contact?.phone ?? "")
    const owner = contact?.user_id ?? null
    return phone === ""
      ? problem("has no contact with a phone")
      : Result.succeed({ phone, chatId: owner === null ? null : String(owner) })
  })
