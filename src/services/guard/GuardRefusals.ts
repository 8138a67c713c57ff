import { Cause, Clock, Context, Effect, Layer } from "effect"
import { HOUR_MILLIS, type Instant } from "../../domain/Instant.ts"
import { BoundedMap } from "../concurrency/Collections.ts"
import { flushAfter } from "../concurrency/Workers.ts"
import { GuardStore, type RefusalCounts } from "./GuardStore.ts"
import { warnOfFailure } from "../system/Observability.ts"

const INTERVAL = "5 seconds"
/** Counts that the store refuses for five minutes are dropped. */
const MAX_TRIES = 60

const MAX_PHONES = 50_000
const COUNTED_MILLIS = HOUR_MILLIS

type Counts = { -readonly [Name in keyof Omit<RefusalCounts, "customerId">]: number }

/** What was counted since it was taken, one entry for each customer. */
class RefusalTally {
  readonly #counts = new Map<number, Counts>()

  of(customerId: number): Counts {
    const known = this.#counts.get(customerId) ?? { refused: 0, refusedWhole: 0, denied: 0 }
    this.#counts.set(customerId, known)
    return known
  }

  take(): ReadonlyArray<RefusalCounts> {
    const taken = [...this.#counts].map(([customerId, counts]) => ({ customerId, ...counts }))
    this.#counts.clear()
    return taken
  }

  putBack(taken: ReadonlyArray<RefusalCounts>): void {
    for (const { customerId, refused, refusedWhole, denied } of taken) {
      const counts = this.of(customerId)
      counts.refused += refused
      counts.refusedWhole += refusedWhole
      counts.denied += denied
    }
  }
}

/**
 * Counts what the guard refuses, for the report: one statement for all, not one per request. What the store refuses is
 * written with the next counts. If the outcome is unknown, the counts are dropped, so that none counts twice.
 */
export class GuardRefusals extends Context.Service<
  GuardRefusals,
  {
    readonly count: (customerId: number, kind: "refused" | "denied") => void
    /**
     * Refused because the customer as a whole is suspicious. They show whether an attack goes on, so each phone counts
     * once in an hour: users who are refused try again.
     */
    readonly countWhole: (customerId: number, phone: string, now: Instant) => void
    /** Writes what was counted. */
    readonly flush: Effect.Effect<void>
  }
>()("peyk/services/guard/GuardRefusals") {
  static readonly layer = Layer.effect(
    GuardRefusals,
    Effect.gen(function* () {
      const store = yield* GuardStore
      const tally = new RefusalTally()
      const countedUntil = new BoundedMap<string, Instant>(MAX_PHONES)
      let failures = 0
      const added = yield* flushAfter(
        INTERVAL,
        Effect.suspend(() => flush)
      )

      const keep = (taken: ReadonlyArray<RefusalCounts>, cause: Cause.Cause<unknown>) => {
        failures += 1
        if (failures === MAX_TRIES) {
          failures = 0
          return warnOfFailure("refusals were not counted", cause)
        }
        tally.putBack(taken)
        added()
        return failures === 1 ? warnOfFailure("refusals are not counted yet", cause) : Effect.void
      }
      const flush: Effect.Effect<void> = Effect.gen(function* () {
        const taken = tally.take()
        if (taken.length === 0) return
        const now = yield* Clock.currentTimeMillis
        yield* Effect.matchEffect(store.countRefused(taken, now), {
          onFailure: ({ cause }) => keep(taken, Cause.fail(cause)),
          onSuccess: () => Effect.sync(() => (failures = 0))
        })
      }).pipe(Effect.catchCause((cause) => warnOfFailure("refusals were not counted", cause)))
      return GuardRefusals.of({
        flush,
        count: (customerId, kind) => {
          tally.of(customerId)[kind] += 1
          added()
        },
        countWhole: (customerId, phone, now) => {
          const counts = tally.of(customerId)
          counts.refused += 1
          added()
          const name = `${customerId}:${phone}`
          if ((countedUntil.get(name) ?? 0) > now) return
          countedUntil.set(name, now + COUNTED_MILLIS)
          counts.refusedWhole += 1
        }
      })
    })
  )
}
