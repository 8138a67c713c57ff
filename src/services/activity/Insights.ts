import { type Array as Arr, Context, Effect, Layer } from "effect"
import { ServiceUnavailable } from "../../domain/Errors.ts"
import type { CodeSums, InsightKind, KeyedSums } from "../../domain/Insights.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { TimeSpan } from "../../domain/Paging.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import { ActivityReports } from "./ActivityReports.ts"

/** Whose codes, and of which mode. */
export interface InsightFilter {
  readonly customerId: number
  readonly mode: KeyMode
}

/** Reads sums of codes that are kept. */
export class CodeSumsStore extends Context.Service<
  CodeSumsStore,
  {
    readonly totals: (
      filter: InsightFilter,
      kinds: ReadonlyArray<InsightKind>,
      span: TimeSpan
    ) => Effect.Effect<ReadonlyArray<KeyedSums & { readonly kind: string }>>
    /** All codes between each of these times and the next, by index; those without codes are left out. */
    readonly buckets: (
      filter: InsightFilter,
      begins: Arr.NonEmptyReadonlyArray<Instant>,
      to: Instant
    ) => Effect.Effect<ReadonlyArray<CodeSums & { readonly bucket: number }>>
    /** All codes by the hour of the day in this zone. */
    readonly hours: (
      filter: InsightFilter,
      span: TimeSpan,
      timeZone: string
    ) => Effect.Effect<ReadonlyArray<CodeSums & { readonly hour: number }>>
  }
>()("peyk/services/activity/Insights/CodeSumsStore") {}

/** How a report groups codes. */
export const insightGroupings = ["channel", "account", "operator", "hour", "template"] as const
export type InsightGrouping = (typeof insightGroupings)[number]

const hourKey = (hour: number): string => String(hour).padStart(2, "0")

/** The most codes first; hours in their order. */
const ordered = (rows: ReadonlyArray<KeyedSums>): ReadonlyArray<KeyedSums> =>
  rows.toSorted((one, other) => other.codes - one.codes || (one.key < other.key ? -1 : 1))

/** These times, those together that overlap or touch. */
const joined = (spans: ReadonlyArray<TimeSpan>): ReadonlyArray<TimeSpan> =>
  spans
    .toSorted((one, other) => one.from - other.from)
    .reduce<ReadonlyArray<TimeSpan>>((all, span) => {
      const last = all.at(-1)
      return last === undefined || last.to < span.from
        ? [...all, span]
        : [...all.slice(0, -1), { from: last.from, to: Math.max(last.to, span.to) }]
    }, [])

/** What became of a customer's codes, by the time when they were sent: from sums of half hours. */
export class Insights extends Context.Service<
  Insights,
  {
    /** Sums up what is new of these times. True: nothing of them is missing, and nothing is older than 15 seconds. */
    readonly bringUpToDate: (
      customerId: number,
      spans: ReadonlyArray<TimeSpan>,
      patience: "short" | "long"
    ) => Effect.Effect<boolean>
    readonly totals: CodeSumsStore["Service"]["totals"]
    readonly buckets: CodeSumsStore["Service"]["buckets"]
    readonly hours: (
      filter: InsightFilter,
      span: TimeSpan,
      timeZone: string
    ) => Effect.Effect<ReadonlyArray<KeyedSums>>
    readonly grouped: (
      filter: InsightFilter,
      grouping: InsightGrouping,
      span: TimeSpan,
      timeZone: string
    ) => Effect.Effect<ReadonlyArray<KeyedSums>>
    /** The sums of several times; it waits until they are all there. */
    readonly report: (
      filter: InsightFilter,
      grouping: InsightGrouping,
      spans: { readonly data: TimeSpan; readonly previous: TimeSpan },
      timeZone: string
    ) => Effect.Effect<
      { readonly data: ReadonlyArray<KeyedSums>; readonly previous: ReadonlyArray<KeyedSums> },
      ServiceUnavailable
    >
  }
>()("peyk/services/activity/Insights") {
  static readonly layer = Layer.effect(
    Insights,
    Effect.gen(function* () {
      const store = yield* CodeSumsStore
      const reports = yield* ActivityReports

      const bringUpToDate: Insights["Service"]["bringUpToDate"] = (customerId, spans, patience) =>
        Effect.map(
          Effect.forEach(joined(spans), (span) => reports.bringUpToDate(customerId, span, patience)),
          (all) => all.every((isComplete) => isComplete)
        )

      const hours: Insights["Service"]["hours"] = (filter, span, timeZone) =>
        Effect.map(store.hours(filter, span, timeZone), (rows) =>
          rows.map(({ hour, ...sums }) => ({ key: hourKey(hour), ...sums }))
        )

      const grouped: Insights["Service"]["grouped"] = (filter, grouping, span, timeZone) =>
        grouping === "hour"
          ? hours(filter, span, timeZone)
          : Effect.map(store.totals(filter, [grouping], span), ordered)

      return Insights.of({
        bringUpToDate,
        totals: store.totals,
        buckets: store.buckets,
        hours,
        grouped,
        report: Effect.fnUntraced(function* (filter, grouping, { data, previous }, timeZone) {
          const isComplete = yield* bringUpToDate(filter.customerId, [data, previous], "long")
          if (!isComplete) return yield* new ServiceUnavailable()
          return yield* Effect.all(
            {
              data: grouped(filter, grouping, data, timeZone),
              previous: grouped(filter, grouping, previous, timeZone)
            },
            { concurrency: "unbounded" }
          )
        })
      })
    })
  )
}
