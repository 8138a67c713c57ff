import { Schema } from "effect"
import type { Instant } from "../../Instant.ts"
import { Tally } from "../Conversion.ts"
import { Knocks } from "./Knocks.ts"
import { Outage, RecentCodes } from "./Outage.ts"
import { newSegment, SegmentState } from "../SegmentState.ts"

/** The guard's memory of a customer. */
export const CustomerState = Schema.Struct({
  /** A code counts as unverified so long after it was sent. */
  maturityMillis: Schema.Int,
  /** When that was last measured. */
  maturityAt: Schema.Number,
  self: SegmentState,
  /** The codes of each channel, the older ones forgotten bit by bit. */
  channels: Schema.Record(Schema.String, Tally),
  recent: Schema.Array(RecentCodes),
  /** The most codes that are usual in this hour, and the least share of them that is verified. */
  usual: Schema.Struct({ codesPerHour: Schema.Number, conversion: Schema.Number }),
  outage: Schema.NullOr(Outage),
  /** Absent: not counted yet. */
  knocks: Schema.optionalKey(Knocks)
})
export type CustomerState = typeof CustomerState.Type

const FIRST_MATURITY_MILLIS = 120_000

export const newCustomerState = (at: Instant): CustomerState => ({
  maturityMillis: FIRST_MATURITY_MILLIS,
  maturityAt: 0,
  self: newSegment(at),
  channels: {},
  recent: [],
  usual: { codesPerHour: 0, conversion: 0 },
  outage: null
})
