/** The summary of the runs of one operation. Machines are shared, so only runs of the same round are compared. */

import type { ColdResult } from "./Cold.ts"
import type { FallbackResult } from "./Fallbacks.ts"
import type { PendingResult } from "./Pending.ts"
import { median, pairedRatios } from "./Statistics.ts"
import type { WebhookResult } from "./Webhooks.ts"

/** One run of one operation against one subject. */
export interface Run {
  readonly subject: string
  readonly operation: string
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  /** Microseconds of CPU per request, of the program and of PostgreSQL. */
  readonly programCpu: number | null
  readonly storeCpu: number | null
  /** And of each worker, if the store is a Citus cluster: the store's is then the coordinator's. */
  readonly workerCpu?: ReadonlyArray<number | null>
  /** The same for the load generator: what the machine spends on measuring. */
  readonly loadCpu: number | null
  readonly failed: number
  readonly memory: number | null
}

export type Figure = (run: Run) => number | null

/** Figures of one subject divided by those of another in the same rounds. */
export const ratiosOf = (mine: ReadonlyArray<Run>, others: ReadonlyArray<Run>, figure: Figure) =>
  pairedRatios(mine.map(figure), others.map(figure))

const pairedRatio = (mine: ReadonlyArray<Run>, others: ReadonlyArray<Run>, figure: Figure) => {
  const ratios = ratiosOf(mine, others, figure)
  return ratios.length === 0 ? null : median(ratios)
}

const shown = (value: number | null, digits = 0) =>
  value === null || Number.isNaN(value) ? "–" : value.toFixed(digits)

export const throughput: Figure = ({ perSecond }) => perSecond
export const p99: Figure = (run) => run.p99
/** What a request costs: on a machine whose processors are busy, it decides the rate. */
export const processorTime: Figure = ({ programCpu, storeCpu }) =>
  programCpu === null || storeCpu === null ? null : programCpu + storeCpu

const columns: ReadonlyArray<readonly [title: string, figure: Figure, digits: number]> = [
  ["CPU µs", processorTime, 0],
  ["program's", ({ programCpu }) => programCpu, 0],
  ["store's", ({ storeCpu }) => storeCpu, 0],
  ["per second", throughput, 0],
  ["p50 ms", ({ p50 }) => p50, 1],
  ["p99 ms", p99, 1],
  ["p99.9 ms", ({ p999 }) => p999, 1],
  ["load's CPU µs", ({ loadCpu }) => loadCpu, 0],
  ["MB", ({ memory }) => memory, 0]
]

const titles = [
  "",
  "",
  ...columns.map(([title]) => title),
  "failed",
  "CPU: peyk / it",
  "rate: peyk / it",
  "p99: peyk / it"
]

export const tableOf = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const rowOf = (mine: ReadonlyArray<Run>, peyk: ReadonlyArray<Run>): ReadonlyArray<string> => {
  const medianOf = (figure: Figure) => median(mine.map((run) => figure(run) ?? Number.NaN))
  return [
    ...columns.map(([, figure, digits]) => shown(medianOf(figure), digits)),
    String(mine.reduce((sum, { failed }) => sum + failed, 0)),
    shown(pairedRatio(peyk, mine, processorTime), 2),
    shown(pairedRatio(peyk, mine, throughput), 2),
    shown(pairedRatio(peyk, mine, p99), 2)
  ]
}

/** A table of medians, in Markdown. */
export const report = (runs: ReadonlyArray<Run>): string => {
  const of = (subject: string, operation: string) =>
    runs.filter((run) => run.subject === subject && run.operation === operation)
  const names = (of: "operation" | "subject") => [...new Set(runs.map((run) => run[of]))]
  const rows = names("operation").flatMap((operation) =>
    names("subject").flatMap((subject) => {
      const mine = of(subject, operation)
      return mine.length === 0 ? [] : [[operation, subject, ...rowOf(mine, of("peyk", operation))]]
    })
  )
  return tableOf(titles, rows)
}

/** The medians of several measurements of the same, by rate. */
export const reportFallbacks = (results: ReadonlyArray<FallbackResult>): string => {
  const titles = [
    "fallbacks",
    "in one run",
    "per second",
    "late p50 ms",
    "late p99 ms",
    "CPU µs",
    "store's CPU µs"
  ]
  const rows = [...new Set(results.map(({ pace }) => pace))].map((pace) => {
    const mine = results.filter((result) => result.pace === pace)
    const medianOf = (figure: (result: FallbackResult) => number | null) =>
      shown(median(mine.map((result) => figure(result) ?? Number.NaN)))
    return [
      pace,
      medianOf(({ count }) => count),
      medianOf(({ perSecond }) => perSecond),
      medianOf(({ p50 }) => p50),
      medianOf(({ p99: late }) => late),
      medianOf(({ programCpu }) => programCpu),
      medianOf(({ storeCpu }) => storeCpu)
    ]
  })
  return tableOf(titles, rows)
}

const webhookColumns: ReadonlyArray<
  readonly [title: string, figure: (result: WebhookResult) => number | null, digits: number]
> = [
  ["sends per second without", ({ sendsWithout }) => sendsWithout, 0],
  ["with", ({ sendsWith }) => sendsWith, 0],
  ["with / without", ({ sendsWith, sendsWithout }) => sendsWith / sendsWithout, 2],
  ["deliveries per second, during sends", ({ duringSends }) => duringSends, 0],
  ["after", ({ afterSends }) => afterSends, 0],
  ["CPU µs", ({ programCpu }) => programCpu, 0],
  ["store's CPU µs", ({ storeCpu }) => storeCpu, 0],
  ["bytes of WAL", ({ wal }) => wal, 0],
  ["repeated", ({ repeated }) => repeated, 0]
]

export const reportWebhooks = (results: ReadonlyArray<WebhookResult>): string =>
  tableOf(
    ["webhooks", ...webhookColumns.map(([title]) => title)],
    [...new Set(results.map(({ subject }) => subject))].map((subject) => [
      subject,
      ...webhookColumns.map(([, figure, digits]) => {
        const mine = results.filter((result) => result.subject === subject)
        return shown(median(mine.map((result) => figure(result) ?? Number.NaN)), digits)
      })
    ])
  )

export const reportPending = (results: ReadonlyArray<PendingResult>): string =>
  tableOf(
    ["timers pending", "of these due", "done in s", "most MB"],
    results.map(({ due, megabytes, pending, seconds }) => [
      shown(pending),
      shown(due),
      shown(seconds, 1),
      shown(megabytes)
    ])
  )

const coldColumns: ReadonlyArray<
  readonly [title: string, figure: (result: ColdResult) => number | null, digits: number]
> = [
  ["CPU µs", ({ programCpu }) => programCpu, 0],
  ["answered", ({ answered }) => answered, 0],
  ["refused", ({ refused }) => refused, 0],
  ["p50 ms", ({ p50 }) => p50, 0],
  ["p99 ms", (result) => result.p99, 0],
  ["warm p99 ms", ({ warmP99 }) => warmP99, 0],
  ["warm, per second", ({ warmPerSecond }) => warmPerSecond, 0],
  ["full rate after s", ({ fullAfterSeconds }) => fullAfterSeconds, 0],
  ["errors", ({ errors }) => errors, 0]
]

/** The first seconds of fresh processes. */
export const reportCold = (results: ReadonlyArray<ColdResult>): string =>
  tableOf(
    ["cold", ...coldColumns.map(([title]) => title)],
    [...new Set(results.map(({ subject }) => subject))].map((subject) => [
      subject,
      ...coldColumns.map(([, figure, digits]) => {
        const mine = results.filter((result) => result.subject === subject)
        return shown(median(mine.map((result) => figure(result) ?? Number.NaN)), digits)
      })
    ])
  )
