import { Data, Schema } from "effect"
import type { Instant } from "./Instant.ts"

/** What a provider says became of a message that it had accepted. */
export type DeliveryReport = Data.TaggedEnum<{
  /** It reached the handset; `at` as the provider says, null where it does not. */
  Delivered: { readonly at: Instant | null }
  /** It never will; `providerError` is the provider's own code and text. */
  Undelivered: { readonly providerError: string }
  InProgress: {}
  /** The provider could not be asked, or did not say. */
  NotKnown: { readonly reason: string }
}>
export const DeliveryReport = Data.taggedEnum<DeliveryReport>()

/** As an attempt keeps it; absent: not known (yet). */
export const DeliveryStatus = Schema.Literals(["delivered", "undelivered"])
export type DeliveryStatus = typeof DeliveryStatus.Type
