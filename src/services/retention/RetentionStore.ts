import { Context, type Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type {
  ErasingTask,
  RetentionPass,
  RetentionPosition,
  RetentionProgress
} from "../../domain/Retention.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"

/** The outcome of one batch. */
export interface RetentionBatch {
  /** Rows deleted, or rows with erased fields. */
  readonly gone: number
  /** Where the pass continues; null if nothing is left. */
  readonly next: RetentionPosition | null
}

/** Erases and deletes old rows, a batch at a time. */
export class RetentionStore extends Context.Service<
  RetentionStore,
  {
    readonly load: Effect.Effect<RetentionProgress>
    /**
     * Stores the progress, and frees the timer for the process that continues at `dueAt`; nothing if its lease was
     * lost.
     */
    readonly save: (timer: LeasedTimer, progress: RetentionProgress, dueAt: Instant) => Effect.Effect<void>
    /** One short, limited statement that takes only rows that others have not locked. */
    readonly runBatch: (pass: RetentionPass) => Effect.Effect<RetentionBatch>
    /** When the oldest of the records in progress was created; null if there is none. */
    readonly unfinishedSince: (task: ErasingTask) => Effect.Effect<Instant | null>
  }
>()("peyk/services/retention/RetentionStore") {}
