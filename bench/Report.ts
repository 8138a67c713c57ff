/** The summary of the runs of one operation. Machines are shared, so only runs of the same round are compared. */

import type { FallbackResult } from "./Fallbacks.ts"
import type { PendingResult } from "./Pending.ts"
import type { WebhookResult } from "./Webhooks.ts"

/** One run of one operation against one subject. */
export interface Run {
  readonly subject: string
  readonly operation: string
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Microseconds of CPU per request, of the program and of PostgreSQL. */
  readonly programCpu: number | null
  readonly storeCpu: number | null
  /** The same for the load generator: what the machine spends on measuring. */
  readonly loadCpu: number | null
  readonly failed: number
  readonly memory: number | null
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

export const quantile = (values: ReadonlyArray<number>, q: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * q) - 1] ?? Number.NaN

type Figure = (run: Run) => number | null

/** The median, over the rounds, of one subject's figure divided by another's. */
const pairedRatio = (mine: ReadonlyArray<Run>, others: ReadonlyArray<Run>, figure: Figure) => {
  const ratios = mine.flatMap((run, round) => {
    const other = others[round]
    return other === undefined ? [] : [(figure(run) ?? Number.NaN) / (figure(other) ?? Number.NaN)]
  })
  return ratios.length === 0 ? null : median(ratios)
}

const shown = (value: number | null, digits = 0) =>
  value === null || Number.isNaN(value) ? "–" : value.toFixed(digits)

const throughput: Figure = ({ perSecond }) => perSecond
const p99: Figure = (run) => run.p99

const columns: ReadonlyArray<readonly [title: string, figure: Figure, digits: number]> = [
  ["per second", throughput, 0],
  ["p50 ms", ({ p50 }) => p50, 1],
  ["p99 ms", p99, 1],
  ["CPU µs", ({ programCpu }) => programCpu, 0],
  ["store's CPU µs", ({ storeCpu }) => storeCpu, 0],
  ["load's CPU µs", ({ loadCpu }) => loadCpu, 0],
  ["MB", ({ memory }) => memory, 0]
]

const titles = ["", "", ...columns.map(([title]) => title), "failed", "peyk / it", "p99: peyk / it"]

const tableOf = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const rowOf = (mine: ReadonlyArray<Run>, peyk: ReadonlyArray<Run>): ReadonlyArray<string> => {
  const medianOf = (figure: Figure) => median(mine.map((run) => figure(run) ?? Number.NaN))
  return [
    ...columns.map(([, figure, digits]) => shown(medianOf(figure), digits)),
    String(mine.reduce((sum, { failed }) => sum + failed, 0)),
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
