import { Clock, Context, type Duration, Effect, Fiber, FiberMap, Layer, Semaphore } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { TimeSpan } from "../../domain/Paging.ts"
import { type ActivitySlot, isStale, rangesOf, slotOf, type SummedSlot } from "../../domain/Activity.ts"

/** Sums of a customer's sends, which are kept so that a page need not read every send. */
export class ActivitySums extends Context.Service<
  ActivitySums,
  {
    /**
     * The slots of this time, since the customer exists, whose figures are not final. Those that were summed up are
     * final once retention may delete some of their sends.
     */
    readonly unfinished: (
      customerId: number,
      span: TimeSpan,
      now: Instant
    ) => Effect.Effect<ReadonlyArray<SummedSlot>>
    /** Sums up the slots of this time from the sends themselves. */
    readonly sumUp: (customerId: number, span: TimeSpan, now: Instant) => Effect.Effect<void>
    readonly read: (customerId: number, span: TimeSpan) => Effect.Effect<ReadonlyArray<ActivitySlot>>
    /** Those of the kept sums that are as good as reading the sends again. */
    readonly usable: (
      customerId: number,
      span: TimeSpan,
      now: Instant
    ) => Effect.Effect<ReadonlyArray<ActivitySlot>>
    /** Sums up the sends of any time, and keeps nothing. Slots without sends are left out. */
    readonly count: (
      customerId: number,
      span: TimeSpan,
      now: Instant
    ) => Effect.Effect<ReadonlyArray<ActivitySlot>>
    /** The ids of all customers. */
    readonly customers: Effect.Effect<ReadonlyArray<number>>
    /** How many codes were sent since then, and how many messages; each is counted up to `atMost`. */
    readonly sendsSince: (customerId: number, from: Instant, atMost: number) => Effect.Effect<number>
  }
>()("peyk/services/activity/ActivityReports/ActivitySums") {}

interface ActivityReport {
  readonly slots: ReadonlyArray<ActivitySlot>
  /** False: older sends are still being summed up; ask again soon. */
  readonly isComplete: boolean
}

/** A day at a time: a statement reads no more sends than that. */
const MAX_SLOTS = 48
/** A page waits so long for fresh figures; then it shows those that are there. */
const PATIENCE = "80 millis"
/** How long reports wait that promise fresh figures: longer than others. */
const LONGER: Readonly<Record<"short" | "long", Duration.Input>> = { short: "2 seconds", long: "10 seconds" }
const FRESH_MILLIS = 15_000
/** Summing up again takes at most this share of the time, so with many sends figures are older. */
const SHARE = 0.01
/** What takes less than this is fresh whatever its share is: twenty codes a second. */
const QUICK_MILLIS = 300
const SHORT_REST_MILLIS = 10_000
/** Figures are not older than this, whatever they cost. */
const LONGEST_REST_MILLIS = 300_000

const restAfter = (tookMillis: number): number =>
  Math.min(tookMillis / SHARE, tookMillis < QUICK_MILLIS ? SHORT_REST_MILLIS : LONGEST_REST_MILLIS)

/** How many codes and messages were sent and what came of them, by half hour and channel. */
export class ActivityReports extends Context.Service<
  ActivityReports,
  {
    /** Until now, or until `to`. */
    readonly read: (
      customerId: number,
      span: { readonly from: Instant; readonly to?: Instant }
    ) => Effect.Effect<ActivityReport>
    /**
     * Sums up what is new of this time, and waits for it. False: something of it was never summed up, or is old, and is
     * still being summed up. With very many sends, figures rest for minutes: that is as fresh as they are.
     */
    readonly bringUpToDate: (
      customerId: number,
      span: TimeSpan,
      patience: "short" | "long"
    ) => Effect.Effect<boolean>
  }
>()("peyk/services/activity/ActivityReports") {
  static readonly layer = Layer.effect(
    ActivityReports,
    Effect.gen(function* () {
      const sums = yield* ActivitySums
      const running = yield* FiberMap.make<number>()
      /** One customer at a time: others' requests do not have to wait for the store. */
      const room = yield* Semaphore.make(1)

      /** Until when figures that were summed up once stay as they are. */
      const restUntil = new Map<number, Instant>()

      const stale = Effect.fnUntraced(function* (customerId: number, span: TimeSpan, now: Instant) {
        const slots = yield* sums.unfinished(customerId, span, now)
        const rests = now < (restUntil.get(customerId) ?? now)
        if (!rests) restUntil.delete(customerId)
        return slots.filter((slot) => (rests ? slot.summedAt === null : isStale(slot, now)))
      })

      const sumUp = Effect.fnUntraced(function* (customerId: number, slots: ReadonlyArray<SummedSlot>) {
        const ranges = rangesOf(
          slots.map(({ startsAt }) => startsAt),
          MAX_SLOTS
        )
        const begunAt = yield* Clock.currentTimeMillis
        yield* Effect.forEach(
          ranges,
          (range) => Effect.flatMap(Clock.currentTimeMillis, (now) => sums.sumUp(customerId, range, now)),
          { discard: true }
        )
        if (slots.some(({ summedAt }) => summedAt === null)) return
        const endedAt = yield* Clock.currentTimeMillis
        restUntil.set(customerId, endedAt + restAfter(endedAt - begunAt))
      })

      /** In the background, once for all who ask meanwhile. */
      const refresh = Effect.fnUntraced(function* (
        customerId: number,
        slots: ReadonlyArray<SummedSlot>,
        patience: Duration.Input
      ) {
        const work = Effect.ignore(Effect.sandbox(room.withPermit(sumUp(customerId, slots))))
        const fiber = yield* FiberMap.run(running, customerId, work, { onlyIfMissing: true })
        yield* Effect.timeoutOption(Fiber.await(fiber), patience)
      })

      const read = Effect.fnUntraced(function* (
        customerId: number,
        { from, to = Infinity }: { readonly from: Instant; readonly to?: Instant }
      ) {
        const now = yield* Clock.currentTimeMillis
        const span = { from: slotOf(from), to: Math.min(to, now + 1) }
        const before = yield* stale(customerId, span, now)
        if (before.length > 0) yield* refresh(customerId, before, PATIENCE)
        const missing =
          before.length > 0 && (yield* stale(customerId, span, now)).some(({ summedAt }) => summedAt === null)
        return { slots: yield* sums.read(customerId, span), isComplete: !missing }
      })

      const bringUpToDate = Effect.fnUntraced(function* (
        customerId: number,
        { from, to }: TimeSpan,
        patience: "short" | "long"
      ) {
        const now = yield* Clock.currentTimeMillis
        const span = { from: slotOf(from), to: Math.min(to, now + 1) }
        if (span.from >= span.to) return true
        const isOld = ({ summedAt }: SummedSlot) => summedAt === null || now - summedAt > FRESH_MILLIS
        const before = yield* stale(customerId, span, now)
        if (before.length === 0) return true
        yield* refresh(customerId, before, before.some(isOld) ? LONGER[patience] : PATIENCE)
        if (!before.some(isOld)) return true
        return !(yield* stale(customerId, span, now)).some(isOld)
      })

      return ActivityReports.of({ read, bringUpToDate })
    })
  )
}
