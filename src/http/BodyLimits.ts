import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage } from "effect/http"
import { MAX_CONTACTS } from "../domain/account/Contacts.ts"

/** What a body of a request may be, unless the operator sets other numbers. */
export const defaultBodies = {
  maxBodyBytes: 65_536,
  /** From a request's headers to its whole body. */
  bodyTimeoutMillis: 5000
}

/** A batch may be as large as this, or what the operator allows for every body if that is more. */
export const MAX_BATCH_BYTES = 1_048_576
/** A form with a list of contacts: each is about a kilobyte, as it is encoded. */
export const MAX_CONTACTS_BYTES = MAX_CONTACTS * 1024
/** Batches and lists get this many times the usual time. */
export const LARGE_BODY_FACTOR = 2
/** Larger bodies of sends are rare, and take the normal path. */
export const MAX_HOT_BYTES = 16_384

/** How large the body of this request may be. */
export const maxBodyBytes = Effect.map(HttpIncomingMessage.MaxBodySize, (limit) =>
  limit === undefined ? Number.POSITIVE_INFINITY : ByteSize.toNumberUnsafe(limit)
)

/** Lets the body of a request be as large as this. */
export const withBodyLimit =
  (bytes: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(
      effect,
      HttpIncomingMessage.MaxBodySize,
      Number.isFinite(bytes) ? ByteSize.bytes(bytes) : undefined
    )
