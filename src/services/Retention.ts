import { Clock, Context, Effect, Layer } from "effect"
import type { Instant } from "../domain/Instant.ts"
import {
  afterBatch,
  beginPass,
  type ErasingTask,
  isErasing,
  nextTask,
  type RetentionPass,
  type RetentionPosition,
  type RetentionProgress,
  type RetentionTask,
  retentionTasks,
  RETENTION_ROUND_MILLIS,
  RETENTION_TURN_MILLIS,
  retentionPauseMillis
} from "../domain/Retention.ts"
import type { DueTimer, LeasedTimer } from "../domain/Timer.ts"
import { Settings } from "./Settings.ts"
import { Workers } from "./concurrency/Workers.ts"
import { counters } from "./system/Observability.ts"
import { Timers } from "./timer/Timers.ts"

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
>()("peyk/services/Retention/RetentionStore") {}

type Counts = Partial<Record<RetentionTask, number>>

/**
 * Deletes old data in rounds: one batch at a time with pauses in between, in one process at a time. Each process
 * continues where the last one stopped.
 */
export class Retention extends Context.Service<
  Retention,
  {
    /** Runs batches for a limited time, then frees the timer for any process. */
    readonly runTimer: (timer: DueTimer) => Effect.Effect<void>
  }
>()("peyk/services/Retention") {
  static readonly layer = Layer.effect(
    Retention,
    Effect.gen(function* () {
      const ages = yield* Settings
      const store = yield* RetentionStore
      const timers = yield* Timers
      const workers = yield* Workers
      const rows = counters(yield* Effect.context<never>(), "peyk_retention_rows_total", {
        description: "Rows that were old and left, or in which something was erased, by task.",
        labels: ["task"]
      })
      for (const task of retentionTasks) rows(task)(0)

      const begin = Effect.fnUntraced(function* (progress: RetentionProgress, after: RetentionTask | null) {
        const next = nextTask(after, ages, yield* Clock.currentTimeMillis)
        if (next === null) return { ...progress, pass: null }
        const unfinishedSince = isErasing(next.task) ? yield* store.unfinishedSince(next.task) : null
        return { ...progress, pass: beginPass(progress, next, unfinishedSince) }
      })

      /** The next work: the rest of the pass, the next task, or the round's end. */
      const runBatch = Effect.fnUntraced(function* (progress: RetentionProgress, pass: RetentionPass) {
        const { gone, next } = yield* store.runBatch(pass)
        rows(pass.task)(gone)
        const after = afterBatch(progress, pass, next)
        return { gone, progress: next === null ? yield* begin(after, pass.task) : after }
      })

      const turn = Effect.fnUntraced(function* (loaded: RetentionProgress) {
        const began = yield* Clock.currentTimeMillis
        const counts: Counts = {}
        const beganAt = loaded.pass === null ? began : (loaded.beganAt ?? began)
        let progress: RetentionProgress = { ...loaded, beganAt }
        if (loaded.pass === null) progress = yield* begin(progress, null)
        while (progress.pass !== null) {
          const { pass } = progress
          const batchBegan = yield* Clock.currentTimeMillis
          const batch = yield* runBatch(progress, pass)
          progress = batch.progress
          if (batch.gone > 0) counts[pass.task] = (counts[pass.task] ?? 0) + batch.gone
          const now = yield* Clock.currentTimeMillis
          if (
            now - began >= RETENTION_TURN_MILLIS ||
            !(yield* workers.pause(retentionPauseMillis(now - batchBegan, batch.gone, now - beganAt)))
          )
            break
        }
        return { progress, counts }
      })

      const report = (counts: Counts) => {
        const parts = Object.entries(counts).map(([task, count]) => `${task} ${count}`)
        return parts.length === 0 ? Effect.void : Effect.logInfo(`retention: ${parts.join(", ")}`)
      }

      const runTimer = Effect.fnUntraced(function* (timer: DueTimer) {
        const { progress, counts } = yield* turn(yield* store.load)
        yield* report(counts)
        const now = yield* Clock.currentTimeMillis
        const dueAt =
          progress.pass === null ? Math.max(now, (progress.beganAt ?? now) + RETENTION_ROUND_MILLIS) : now
        yield* store.save(timer, progress, dueAt)
        timers.wakeAt(dueAt)
      })

      return Retention.of({ runTimer })
    })
  )
}
