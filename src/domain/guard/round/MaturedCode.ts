import type { Instant } from "../../Instant.ts"
import type { Whole } from "../Mark.ts"
import type { WeighedCode } from "../SegmentState.ts"

/** A code whose time to be verified is over. */
export interface MaturedCode extends WeighedCode {
  readonly sentAt: Instant
  readonly maturedAt: Instant
  readonly prefix: string
  readonly network: string | null
  readonly device: string | null
  readonly channel: string
  /** It was never sent, or the customer canceled it: it says nothing. */
  readonly isVoid: boolean
  /** The budget of the customer that it took from. */
  readonly took: Whole | null
}
