import { Clock, Context, Effect, Layer } from "effect"
import type { TimeSpan } from "../domain/Paging.ts"
import { gapsOf, SLOT_MILLIS, slotOf, sumOf } from "../domain/Activity.ts"
import { type UsageGroup, type UsageGrouping, usageOfSlots } from "../domain/money/Usage.ts"
import { ActivitySums } from "./activity/ActivityReports.ts"

type Report = (
  customerId: number,
  period: TimeSpan,
  grouping: UsageGrouping
) => Effect.Effect<ReadonlyArray<UsageGroup>>

/** Reports that read each record of their period. */
export class UsageRecords extends Context.Service<UsageRecords, { readonly read: Report }>()(
  "peyk/services/UsageReports/UsageRecords"
) {}

/** So many sends are read one by one, so that the median is exact. */
export const MostRead = Context.Reference<number>("peyk/services/money/UsageReports/MostRead", {
  defaultValue: () => 20_000
})

/** The outcomes of a customer's codes and messages. */
export class UsageReports extends Context.Service<
  UsageReports,
  {
    /**
     * By day and channel; groups without accepted requests are left out. Of more than 20 000 sends, what was summed up is
     * not read again: then the median is as exact as `SECONDS_CLASSES`, and the reports of the last day's deliveries may be
     * up to two hours, or half of their age, behind.
     */
    readonly report: Report
  }
>()("peyk/services/UsageReports") {
  static readonly layer = Layer.effect(
    UsageReports,
    Effect.gen(function* () {
      const records = yield* UsageRecords
      const sums = yield* ActivitySums
      const mostRead = yield* MostRead

      const report = Effect.fnUntraced(function* (
        customerId: number,
        period: TimeSpan,
        grouping: UsageGrouping
      ) {
        const now = yield* Clock.currentTimeMillis
        const whole = { from: slotOf(period.from + SLOT_MILLIS - 1), to: slotOf(Math.min(period.to, now)) }
        const kept = yield* sums.usable(customerId, whole, now)
        const { accepted } = sumOf(kept, ({ channel }) => channel === null)
        if (accepted <= mostRead) return yield* records.read(customerId, period, grouping)
        const counted = yield* Effect.forEach(gapsOf(period, kept), (gap) => sums.count(customerId, gap, now))
        return usageOfSlots([...kept, ...counted.flat()], grouping)
      })

      return UsageReports.of({ report })
    })
  )
}
