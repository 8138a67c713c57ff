import { Schema } from "effect"
import { Role } from "./Actor.ts"
import { Instant } from "../Instant.ts"
import { pasted } from "../text/PastedText.ts"

/** A person who manages a customer. */
export const UserRecord = Schema.Struct({
  id: Schema.String,
  customerId: Schema.Int,
  email: Schema.String,
  name: Schema.String,
  role: Role,
  /** Somebody who runs this installation: of no customer, so `customerId` is the platform's. */
  isOperator: Schema.optionalKey(Schema.Boolean),
  createdAt: Instant,
  /** Since when they cannot sign in; null: they can. */
  disabledAt: Schema.NullOr(Instant)
})
export type UserRecord = typeof UserRecord.Type

/** Addresses that differ only in this are the same. */
export const normalizeEmail = (email: string): string => pasted(email).toLowerCase()

const MAX_EMAIL_LENGTH = 254
const EMAIL = /^[^\s@"<>(),:;\\[\]\p{Cc}]+@[^\s@"<>(),:;\\[\]\p{Cc}]+\.[^\s@"<>(),:;\\[\]\p{Cc}]+$/u

/** Whether the normalized text can be an address; only a mail to it could show more. */
export const isEmail = (email: string): boolean =>
  email.length <= MAX_EMAIL_LENGTH && email.isWellFormed() && EMAIL.test(email)

export const MIN_PASSWORD_LENGTH = 8
export const MAX_PASSWORD_LENGTH = 1024

/** The same password from any keyboard layout. */
export const normalizePassword = (password: string): string => password.normalize("NFC")

/** Length in characters. Only the length makes a password good, so Peyk requires nothing else. */
export const isPassword = (password: string): boolean => {
  const { length } = [...normalizePassword(password)]
  return password.isWellFormed() && length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH
}
