import { Schema } from "effect"

/** A customer's description of the device that asked for a code. */
export interface Client {
  /** A valid IPv4 or IPv6 address. */
  readonly ip?: string | undefined
  readonly userAgent?: string | undefined
  readonly deviceId?: string | undefined
  /** The customer vouches for it. */
  readonly trusted?: boolean | undefined
  /** The site where the code is entered, for the text. */
  readonly origin?: string | undefined
}

/** Keyed hashes of it, which are all that is stored. */
export const HashedClient = Schema.Struct({
  /** The address's network: /24 of IPv4, /64 of IPv6. */
  network: Schema.optionalKey(Schema.String),
  agent: Schema.optionalKey(Schema.String),
  device: Schema.optionalKey(Schema.String),
  trusted: Schema.optionalKey(Schema.Literal(true))
})
export type HashedClient = typeof HashedClient.Type
