import { Redacted, Schema, SchemaTransformation } from "effect"
import {
  isEmail,
  isPassword,
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  normalizeEmail
} from "../../../domain/people/User.ts"

/** An e-mail address, normalized. */
export const Email = Schema.String.check(
  Schema.makeFilter((text: string) => isEmail(normalizeEmail(text)) || "Expected an e-mail address")
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
    Schema.makeFilter(
      (text: string) =>
        isPassword(text) || `Expected ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`
    )
  ).annotate({
    description: `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`,
    format: "password"
  })
)

/** A secret to check: a wrong one of any length is simply wrong. */
export const GivenSecret = redacted(
  Schema.String.check(Schema.isMaxLength(2 * MAX_PASSWORD_LENGTH)).annotate({ format: "password" })
)
