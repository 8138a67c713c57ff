import { Schema } from "effect"
import { DAY_MILLIS, Instant } from "./Instant.ts"
import { Scope } from "./user/Actor.ts"

/** The readable fields of a personal access token; its secret is not stored. */
export const TokenRecord = Schema.Struct({
  id: Schema.Int,
  customerId: Schema.Int,
  name: Schema.String,
  scope: Scope,
  prefix: Schema.String,
  lastFour: Schema.String,
  createdAt: Instant,
  /** Null: never. */
  expiresAt: Schema.NullOr(Instant),
  revokedAt: Schema.NullOr(Instant),
  lastUsedAt: Schema.NullOr(Instant)
})
export type TokenRecord = typeof TokenRecord.Type

/** 256 random bits in base64url. */
const SECRET = /^svc_pat_[A-Za-z0-9_-]{43}$/

/** Whether this can be a token. Others are refused without asking the store. */
export const looksLikeToken = (secret: string): boolean => SECRET.test(secret)

export const tokenSecret = (random: string): string => `svc_pat_${random}`

/** The validity of a token without `expires_at`. */
export const TOKEN_LIFE_MILLIS = 90 * DAY_MILLIS
