import { Clock, Context, Effect, Fiber, FiberMap, Layer, Semaphore } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import {
  type ActivitySlot,
  isStale,
  rangesOf,
  slotOf,
  type SummedSlot
} from "../../../domain/money/Activity.ts"

/** Sums of a customer's sends, which are kept so that a page need not read every send. */
export class ActivitySums extends Context.Service<
  ActivitySums,
  {
    /** Every slot from this one on until now, since the customer exists. */
    readonly slots: (
      customerId: number,
      from: Instant,
      now: Instant
    ) => Effect.Effect<ReadonlyArray<SummedSlot>>
    /** Sums up the slots of this range from the sends themselves. */
    readonly sumUp: (
      customerId: number,
      range: { readonly from: Instant; readonly to: Instant },
      now: Instant
    ) => Effect.Effect<void>
    readonly read: (customerId: number, from: Instant) => Effect.Effect<ReadonlyArray<ActivitySlot>>
  }
>()("peyk/services/resources/activity/ActivityReports/ActivitySums") {}

export interface ActivityReport {
  readonly slots: ReadonlyArray<ActivitySlot>
  /** False: older sends are still being summed up; ask again soon. */
  readonly isComplete: boolean
}

/** A day at a time: a statement reads no more sends than that. */
const MAX_SLOTS = 48
/** A page waits so long for fresh figures; then it shows those that are there. */
const PATIENCE = "80 millis"

/** How many codes and messages were sent and what came of them, by half hour and channel. */
export class ActivityReports extends Context.Service<
  ActivityReports,
  { readonly read: (customerId: number, from: Instant) => Effect.Effect<ActivityReport> }
>()("peyk/services/resources/activity/ActivityReports") {
  static readonly layer = Layer.effect(
    ActivityReports,
    Effect.gen(function* () {
      const sums = yield* ActivitySums
      const running = yield* FiberMap.make<number>()
      /** One customer at a time: others' requests do not have to wait for the store. */
      const room = yield* Semaphore.make(1)

      const stale = Effect.fnUntraced(function* (customerId: number, from: Instant) {
        const now = yield* Clock.currentTimeMillis
        const slots = yield* sums.slots(customerId, from, now)
        return slots.filter((slot) => isStale(slot, now))
      })

      const sumUp = Effect.fnUntraced(function* (customerId: number, slots: ReadonlyArray<SummedSlot>) {
        const ranges = rangesOf(
          slots.map(({ startsAt }) => startsAt),
          MAX_SLOTS
        )
        yield* Effect.forEach(
          ranges,
          (range) => Effect.flatMap(Clock.currentTimeMillis, (now) => sums.sumUp(customerId, range, now)),
          { discard: true }
        )
      })

      /** In the background, once for all who ask meanwhile. */
      const refresh = Effect.fnUntraced(function* (customerId: number, slots: ReadonlyArray<SummedSlot>) {
        const work = Effect.ignore(Effect.sandbox(room.withPermit(sumUp(customerId, slots))))
        const fiber = yield* FiberMap.run(running, customerId, work, { onlyIfMissing: true })
        yield* Effect.timeoutOption(Fiber.await(fiber), PATIENCE)
      })

      const read = Effect.fnUntraced(function* (customerId: number, from: Instant) {
        const start = slotOf(from)
        const before = yield* stale(customerId, start)
        if (before.length > 0) yield* refresh(customerId, before)
        const missing =
          before.length > 0 && (yield* stale(customerId, start)).some(({ summedAt }) => summedAt === null)
        return { slots: yield* sums.read(customerId, start), isComplete: !missing }
      })

      return ActivityReports.of({ read })
    })
  )
}
