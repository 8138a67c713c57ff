import { Context, type Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"

/** Sends of one customer in the last day are counted up to this many; of more, the sums of codes may know better. */
export const MAX_COUNTED = 1000

export interface CustomerFigures {
  readonly customerId: number
  /** Live codes and messages of the last 24 hours. */
  readonly codes: number
  readonly messages: number
  /** Rials that are not held. */
  readonly available: number
}

/** Customers side by side, and the size of the store, for those who run the installation. */
export class InstallationReports extends Context.Service<
  InstallationReports,
  {
    readonly customers: (
      ids: ReadonlyArray<number>,
      now: Instant
    ) => Effect.Effect<ReadonlyMap<number, CustomerFigures>>
    readonly storeBytes: Effect.Effect<number>
    /** Of this process. */
    readonly version: string
  }
>()("peyk/services/system/InstallationReports") {}
