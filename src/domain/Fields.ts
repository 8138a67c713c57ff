import { Option, Predicate, Redacted, Schema, SchemaTransformation } from "effect"
import { formatInstant, Instant } from "./Instant.ts"
import { parseDateTime } from "./message/Schedule.ts"
import { TemplateBody } from "./message/Template.ts"
import { isEmail, normalizeEmail } from "./user/User.ts"
import { isPassword, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "./user/Password.ts"
import { isBlank, isMisleading, isStorable, storableText, TrimmedName } from "./text/VisibleText.ts"
import { problem } from "./Problem.ts"
import { check } from "./SchemaProblems.ts"

/** An optional field; `null` counts as absent. */
export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

export const PositiveInt = Schema.Int.check(Schema.isGreaterThan(0))

/** Hexadecimal digits mean the same in either case, but values derived from an id's text differ. */
export const ResourceId = Schema.String.check(Schema.isUUID()).pipe(
  Schema.decode(SchemaTransformation.toLowerCase())
)

/** A time in a request; without an offset it is Tehran's. */
export const DateTimeText = Schema.String.check(
  check((text: string) => Option.isSome(parseDateTime(text)), problem("not_date_time"))
).pipe(
  Schema.decodeTo(
    Instant,
    SchemaTransformation.transform({
      decode: (text: string) => Option.getOrThrow(parseDateTime(text)),
      encode: formatInstant
    })
  )
)

const isJsonObject = (value: unknown): value is object => Predicate.isObject(value) && !Array.isArray(value)

/** A JSON object that is accepted unread: it is not copied, and none of its keys has a meaning here. */
export const jsonObject = (accepts: (given: object) => Schema.FilterOutput = () => true) =>
  Schema.declare(isJsonObject, { expected: "object", toCodecJson: () => undefined }).check(
    Schema.makeFilter(accepts, { toJsonSchema: () => ({ type: "object" }) })
  )

/** ISO 8601 in UTC, with milliseconds, as in responses. */
export const Timestamp = Schema.String.annotate({ description: "ISO 8601 in UTC", format: "date-time" })

/** A text that stays in its line, and in its direction. */
export const inItsLine = check((text: string) => !isMisleading(text), problem("not_one_line"))

/** A name for people. */
export const Name = TrimmedName.check(
  check(
    (text: string) => !isBlank(text) && text.length <= 100 && isStorable(text),
    problem("wrong_length", { minimum: 1, maximum: 100 })
  ),
  inItsLine
)

/** A template's text. */
export const TemplateText = TemplateBody.check(
  storableText,
  check((text: string) => text === "" || !isBlank(text), problem("not_visible"))
)

/** An e-mail address, normalized. */
export const Email = Schema.String.check(
  check((text: string) => isEmail(normalizeEmail(text)), problem("not_email"))
).pipe(
  Schema.decode(SchemaTransformation.transform({ decode: normalizeEmail, encode: (email) => email })),
  Schema.annotate({ format: "email" })
)

const redacted = <S extends Schema.Codec<string, string>>(text: S) =>
  text.pipe(
    Schema.decodeTo(
      Schema.toType(Schema.Redacted(Schema.String)),
      SchemaTransformation.transform({
        decode: (secret: string) => Redacted.make(secret),
        encode: (secret) => Redacted.value(secret)
      })
    )
  )

/** A new password. */
export const NewPassword = redacted(
  Schema.String.check(
    check(isPassword, problem("wrong_length", { minimum: MIN_PASSWORD_LENGTH, maximum: MAX_PASSWORD_LENGTH }))
  ).annotate({
    description: `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`,
    format: "password"
  })
)

/** A secret to check: a wrong one of any length is simply wrong. */
export const GivenSecret = redacted(
  Schema.String.check(Schema.isMaxLength(2 * MAX_PASSWORD_LENGTH)).annotate({ format: "password" })
)

/** A phone, as somebody writes it. In an address an unescaped plus arrives as a space and counts as a plus. */
export const PhoneText = Schema.String.check(Schema.isMaxLength(200)).annotate({
  description: "An Iranian mobile number in any accepted form.",
  examples: ["09121234567"]
})
