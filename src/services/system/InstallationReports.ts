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

/** A process that serves. */
export interface ServingProcess {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly startedAt: Instant
  /** Its lease has not ended: it renews it. */
  readonly isAlive: boolean
}

/** What the guards of all customers did in the last seven days, in UTC as the store has them. */
export interface GuardTotals {
  readonly enforcing: number
  /** Customers with an open alarm. */
  readonly alarmed: number
  readonly openAlarms: number
  readonly refused: number
  readonly flagged: number
  readonly flaggedVerified: number
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
    /** The newest first, at most 100; one whose lease ended is there for an hour. */
    readonly processes: (now: Instant) => Effect.Effect<ReadonlyArray<ServingProcess>>
    readonly guard: (now: Instant) => Effect.Effect<GuardTotals>
    /** Of the process that makes the report. */
    readonly version: string
  }
>()("peyk/services/system/InstallationReports") {}
