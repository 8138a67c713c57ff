import { Context, Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"

/** Due timers that no process works on. */
export interface DueTimers {
  readonly kind: string
  readonly count: number
  readonly oldestAt: Instant | null
}

/** Whose it is; null: the platform's. */
interface Owned {
  readonly customerId: number | null
  readonly customerName: string | null
}

export interface FailingAccount extends Owned {
  readonly id: number
  readonly label: string
  readonly channel: string
  /** When its cooldown ends; null: its provider refused the last check. */
  readonly coolingUntil: Instant | null
}

export interface FailingWebhook extends Owned {
  readonly id: number
  readonly url: string
  /** Null: it was switched off because it failed. */
  readonly failingSince: Instant | null
}

export interface HealthReport {
  readonly roundTripMillis: number
  /** Connections to PostgreSQL of all processes of this installation. */
  readonly connections: number
  readonly timers: ReadonlyArray<DueTimers>
  /** At most 100 accounts, and at most 100 webhooks. */
  readonly accounts: ReadonlyArray<FailingAccount>
  readonly webhooks: ReadonlyArray<FailingWebhook>
}

/** The state of the whole installation, for those who run it. */
export class HealthReports extends Context.Service<
  HealthReports,
  { readonly read: (now: Instant) => Effect.Effect<HealthReport> }
>()("peyk/services/system/HealthReports") {}

/** The cells on other nodes that do not respond now: only their customers are concerned. */
export const LostCells = Context.Reference<Effect.Effect<ReadonlyArray<number>>>(
  "peyk/services/system/HealthReports/LostCells",
  { defaultValue: () => Effect.succeed([]) }
)

/**
 * Whether the process can serve: the store is reachable, accepts writes, agrees on the time, and has every migration.
 */
export class Readiness extends Context.Service<
  Readiness,
  {
    readonly isReady: Effect.Effect<boolean>
    readonly lostCells: (typeof LostCells)["Service"]
  }
>()("peyk/services/system/HealthReports/Readiness") {}
