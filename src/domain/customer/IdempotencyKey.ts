import { DAY_MILLIS } from "../Instant.ts"

export const MAX_IDEMPOTENCY_KEY_LENGTH = 255

/** How long a key is kept, unless the operator has another time. While it exists, a request is replayed from its record. */
export const defaultIdempotency = {
  idempotencyMillis: DAY_MILLIS
}
