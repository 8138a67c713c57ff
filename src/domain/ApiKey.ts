import { Schema } from "effect"
import { Instant } from "./Instant.ts"
import { KeyMode } from "./customer/Customer.ts"

/** The readable fields of a service key; its secret is not stored. */
export const ApiKeyRecord = Schema.Struct({
  id: Schema.Int,
  customerId: Schema.Int,
  name: Schema.String,
  mode: KeyMode,
  prefix: Schema.String,
  lastFour: Schema.String,
  createdAt: Instant,
  expiresAt: Schema.NullOr(Instant),
  revokedAt: Schema.NullOr(Instant),
  lastUsedAt: Schema.NullOr(Instant),
  /** Its own limit; null: the customer's, or the platform's. */
  requestsPerMinute: Schema.NullOr(Schema.Int),
  /** Networks (CIDR) that it may be used from; null: any. */
  allowedIps: Schema.NullOr(Schema.Array(Schema.String)),
  version: Schema.Int
})
export type ApiKeyRecord = typeof ApiKeyRecord.Type

/** How long a rotated key stays valid: unless the request says another time, and at most. */
export const DEFAULT_OVERLAP_SECONDS = 24 * 3600
export const MAX_OVERLAP_SECONDS = 30 * 24 * 3600

export type ApiKeyStatus = "active" | "expired" | "revoked"

export const apiKeyStatus = (
  key: Pick<ApiKeyRecord, "expiresAt" | "revokedAt">,
  now: Instant
): ApiKeyStatus => {
  if (key.revokedAt !== null) return "revoked"
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active"
}

/** 256 random bits in base64url. */
const SECRET = /^svc_(live|test)_[A-Za-z0-9_-]{43}$/

/** Whether this can be a service key. Others are refused without asking the store. */
export const looksLikeApiKey = (secret: string): boolean => SECRET.test(secret)

export const apiKeySecret = (mode: KeyMode, random: string): string => `svc_${mode}_${random}`

const PREFIX_LENGTH = 12

/** The parts of a secret that may be shown. */
export const visibleParts = (secret: string): Pick<ApiKeyRecord, "prefix" | "lastFour"> => ({
  prefix: secret.slice(0, PREFIX_LENGTH),
  lastFour: secret.slice(-4)
})
