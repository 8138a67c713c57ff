/** What the runs of one operation come to. Machines are shared: only what was measured in the same round is compared. */

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
  readonly failed: number
  readonly memory: number | null
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** The median, over the rounds, of one subject's throughput over another's. */
export const pairedRatio = (
  runs: ReadonlyArray<Run>,
  operation: string,
  subject: string,
  reference: string
) => {
  const of = (name: string) => runs.filter((run) => run.subject === name && run.operation === operation)
  const references = of(reference)
  const ratios = of(subject).flatMap((run, round) => {
    const other = references[round]
    return other === undefined ? [] : [run.perSecond / other.perSecond]
  })
  return ratios.length === 0 ? null : median(ratios)
}

const shown = (value: number | null, digits = 0) => (value === null ? "–" : value.toFixed(digits))

/** A table of medians, in Markdown. */
export const report = (runs: ReadonlyArray<Run>) => {
  const lines: Array<string> = [
    "| | | per second | p50 ms | p99 ms | CPU µs | store's CPU µs | MB | peyk / it |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
  ]
  const names = (of: "operation" | "subject") => [...new Set(runs.map((run) => run[of]))]
  for (const operation of names("operation")) {
    for (const subject of names("subject")) {
      const mine = runs.filter((run) => run.subject === subject && run.operation === operation)
      if (mine.length === 0) continue
      const middle = (of: (run: Run) => number | null) => median(mine.map((run) => of(run) ?? Number.NaN))
      const ratio = pairedRatio(runs, operation, "peyk", subject)
      lines.push(
        `| ${operation} | ${subject} | ${shown(middle((run) => run.perSecond))} | ${shown(middle((run) => run.p50))} | ` +
          `${shown(middle((run) => run.p99))} | ${shown(middle((run) => run.programCpu))} | ` +
          `${shown(middle((run) => run.storeCpu))} | ${shown(middle((run) => run.memory))} | ${shown(ratio, 2)} |`
      )
    }
  }
  return lines.join("\n")
}
