import { Context, type Effect } from "effect"
import type { UsageGroup, UsageGrouping, UsagePeriod } from "../../domain/money/Usage.ts"

/** What a customer's codes and messages came to. */
export class UsageReports extends Context.Service<
  UsageReports,
  {
    /** By day and channel; groups in which nothing was accepted are left out. */
    readonly report: (
      customerId: number,
      period: UsagePeriod,
      grouping: UsageGrouping
    ) => Effect.Effect<ReadonlyArray<UsageGroup>>
  }
>()("peyk/services/resources/UsageReports") {}
