import { Context, type Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type {
  ErasingTask,
  RetentionPass,
  RetentionPosition,
  RetentionProgress
} from "../../domain/Retention.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"

/** What one batch came to. */
export interface RetentionBatch {
  /** Rows that left, or in which something was erased. */
  readonly gone: number
  /** Where the pass goes on; null when nothing is left of it. */
  readonly next: RetentionPosition | null
}

/** Old rows, a batch at a time. */
export class RetentionStore extends Context.Service<
  RetentionStore,
  {
    /** Sees to it that there is a timer for the rounds; the first is due now. */
    readonly schedule: (now: Instant) => Effect.Effect<void>
    readonly load: Effect.Effect<RetentionProgress>
    /** Keeps the progress, and frees the timer for whoever goes on at `dueAt`; nothing if its lease was lost. */
    readonly save: (timer: LeasedTimer, progress: RetentionProgress, dueAt: Instant) => Effect.Effect<void>
    /** One short statement, that takes only what nobody else holds, and whose size is bounded. */
    readonly runBatch: (pass: RetentionPass) => Effect.Effect<RetentionBatch>
    /** When the oldest of the records that are still under way was made; null when there is none. */
    readonly unfinishedSince: (task: ErasingTask) => Effect.Effect<Instant | null>
  }
>()("peyk/services/retention/RetentionStore") {}
