import { Schema } from "effect"

const description = "Unique per request; at most 255 characters."

export const requiredKey = { "idempotency-key": Schema.String.annotate({ description }) }

export const optionalKey = {
  "idempotency-key": Schema.optionalKey(Schema.String).annotateKey({ description })
}

/** Of an answer that was given before. */
export const replayed = { "idempotency-replayed": Schema.optionalKey(Schema.Literal("true")) }
