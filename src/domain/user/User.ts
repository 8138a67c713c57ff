import { Schema } from "effect"
import { Instant } from "../Instant.ts"
import { pasted } from "../text/PastedText.ts"
import { Role } from "./Actor.ts"

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

/** A person in a list of users. */
export const Member = Schema.Struct({
  ...UserRecord.fields,
  /** Null: never, or before Peyk kept it. */
  lastSignInAt: Schema.NullOr(Instant),
  hasSecondFactor: Schema.Boolean,
  /** Who made them; null: a token, or the command line. */
  invitedBy: Schema.NullOr(Schema.String),
  invitedByName: Schema.NullOr(Schema.String)
})
export type Member = typeof Member.Type

/** Addresses that differ only in this are the same. */
export const normalizeEmail = (email: string): string => pasted(email).toLowerCase()

const MAX_EMAIL_LENGTH = 254
const EMAIL = /^[^\s@"<>(),:;\\[\]\p{Cc}]+@[^\s@"<>(),:;\\[\]\p{Cc}]+\.[^\s@"<>(),:;\\[\]\p{Cc}]+$/u

/** Whether the normalized text can be an address; only a mail to it could show more. */
export const isEmail = (email: string): boolean =>
  email.length <= MAX_EMAIL_LENGTH && email.isWellFormed() && EMAIL.test(email)

/** A person's name, as the audit log may have it: without one they are called by their address. */
export const loggedName = (name: string): string | null => (name.includes("@") ? null : name)
