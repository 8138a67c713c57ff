import { Context, type Effect } from "effect"
import type { UsageGroup, UsageGrouping, UsagePeriod } from "../../../domain/money/Usage.ts"

/** The outcomes of a customer's codes and messages. */
export class UsageReports extends Context.Service<
  UsageReports,
  {
    /** By day and channel; groups without accepted requests are left out. */
    readonly report: (
      customerId: number,
      period: UsagePeriod,
      grouping: UsageGrouping
    ) => Effect.Effect<ReadonlyArray<UsageGroup>>
  }
>()("peyk/services/resources/activity/UsageReports") {}
