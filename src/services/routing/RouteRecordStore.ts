import { Context, type Effect } from "effect"
import type { Tally } from "../../domain/guard/Conversion.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Channel } from "../../domain/routing/Channel.ts"
import type { FirstTry } from "../../domain/routing/measured/ChannelRecord.ts"

export interface ReadTry extends FirstTry {
  /** The id of the verification. */
  readonly id: string
  readonly channel: Channel
}

/** Reads the codes that the records of channels are counted from. */
export class RouteRecordStore extends Context.Service<
  RouteRecordStore,
  {
    /** The last codes between these ids, in their order: of each, the channel that was tried first. */
    readonly tries: (request: {
      readonly customerId: number
      readonly from: string
      readonly until: string
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<ReadTry>>
    /** The customer's accounts, and shared ones, that cool down. */
    readonly cooling: (customerId: number, now: Instant) => Effect.Effect<ReadonlySet<number>>
    /** The codes of all customers, by channel. */
    readonly platform: Effect.Effect<Readonly<Partial<Record<Channel, Tally>>>>
  }
>()("peyk/services/routing/RouteRecordStore") {}
