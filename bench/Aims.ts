/** What Peyk's speed has to reach, and in which measurements that shows. */
import type { ColdResult } from "./Cold.ts"
import type { FallbackResult } from "./Fallbacks.ts"
import type { Options } from "./Options.ts"
import { mostPerSecond, slowestDelay } from "./ProviderDelay.ts"
import { type Figure, p99, ratiosOf, type Run, tableOf, throughput } from "./Report.ts"
import { median } from "./Statistics.ts"

/** The results of one section. */
export interface SectionResults {
  readonly options: Pick<Options, "connections" | "openLoop" | "providerMillis">
  readonly runs: ReadonlyArray<Run>
  readonly cold: ReadonlyArray<ColdResult>
  readonly fallbacks: ReadonlyArray<FallbackResult>
}

export interface Aim {
  readonly figure: string
  /** It has to be reached in every round. */
  readonly atLeast?: number
  readonly atMost?: number
  /** One value for each round. */
  readonly valuesIn: (results: SectionResults) => ReadonlyArray<number>
  /** The best value of each round that the provider's time leaves to any subject; absent: it sets no bound. */
  readonly boundsIn?: (results: SectionResults) => ReadonlyArray<number>
}

export interface Section {
  readonly title: string
  /** What `npm run bench` would be given. */
  readonly args: ReadonlyArray<string>
  readonly aims: ReadonlyArray<Aim>
}

const runsOf = ({ runs }: SectionResults, operation: string, subject = "peyk") =>
  runs.filter((run) => run.operation === operation && run.subject === subject)

const valuesOf = (operation: string, figure: Figure): Aim["valuesIn"] => {
  return (results) => runsOf(results, operation).flatMap((run) => figure(run) ?? [])
}

/** Peyk's figure divided by that of a reference. */
const ratioTo = (subject: string, operation: string, figure: Figure): Aim["valuesIn"] => {
  return (results) => ratiosOf(runsOf(results, operation), runsOf(results, operation, subject), figure)
}

/** Connections that wait for their responses, and these for the provider. */
const isBoundByProvider = ({ openLoop, providerMillis }: SectionResults["options"]): boolean =>
  openLoop === null && providerMillis > 0

/** The rate of sends, divided by that of a reference; the bound is that of the provider's mean time. */
const sendRateTo = (subject: string): Pick<Aim, "valuesIn" | "boundsIn"> => ({
  valuesIn: ratioTo(subject, "send", throughput),
  boundsIn: (results) => {
    const { connections, providerMillis } = results.options
    if (!isBoundByProvider(results.options)) return []
    const most = mostPerSecond(connections, providerMillis)
    return runsOf(results, "send", subject).map(({ perSecond }) => most / perSecond)
  }
})

/** The p99 of sends, divided by that of a reference; the bound is the provider's slowest call. */
const sendP99To = (subject: string): Pick<Aim, "valuesIn" | "boundsIn"> => ({
  valuesIn: ratioTo(subject, "send", p99),
  boundsIn: (results) =>
    isBoundByProvider(results.options)
      ? runsOf(results, "send", subject).map((run) => slowestDelay(results.options.providerMillis) / run.p99)
      : []
})

const coldOf = (figure: (cold: ColdResult) => number): Aim["valuesIn"] => {
  return ({ cold }) => cold.filter(({ subject }) => subject === "peyk").map(figure)
}

const A = "fastify"
const A2 = "fastify-crash-safe"
const programCpu: Figure = (run) => run.programCpu
const storeCpu: Figure = (run) => run.storeCpu

/** Processor time of one operation, in the processes of Peyk and in PostgreSQL. */
const processorTimeOf = (operation: string, program: number, store: number): ReadonlyArray<Aim> => [
  { figure: `${operation}: program's CPU µs`, atMost: program, valuesIn: valuesOf(operation, programCpu) },
  { figure: `${operation}: store's CPU µs`, atMost: store, valuesIn: valuesOf(operation, storeCpu) }
]

const memory: Aim = {
  figure: "MB of two processes under load",
  atMost: 350,
  valuesIn: valuesOf("send", (run) => run.memory)
}

/** How many milliseconds longer than (a) half of the quiet sends take. */
const quietBehind: Aim = {
  figure: "quiet: p50 ms more than (a)",
  atMost: 2,
  valuesIn: (results) => {
    const others = runsOf(results, "quiet", A)
    return runsOf(results, "quiet").flatMap(({ p50 }, round) => {
      const other = others[round]
      return other === undefined ? [] : [p50 - other.p50]
    })
  }
}

export const sections: ReadonlyArray<Section> = [
  {
    title: "1000 connections, a provider of 100 ms",
    args: ["--connections", "1000", "--provider-millis", "100", "--measures", "send,cold"],
    aims: [
      ...processorTimeOf("send", 150, 130),
      { figure: "send: rate, × (a)", atLeast: 1.4, ...sendRateTo(A) },
      { figure: "send: p99, × (a)", atMost: 0.8, ...sendP99To(A) },
      { figure: "send: rate, × (a2)", atLeast: 2.5, ...sendRateTo(A2) },
      { figure: "cold: refused in 15 s", atMost: 0, valuesIn: coldOf(({ refused }) => refused) },
      { figure: "cold: p99, × warm", atMost: 2, valuesIn: coldOf((cold) => cold.p99 / cold.warmP99) },
      { figure: "cold: full rate after s", atMost: 8, valuesIn: coldOf((cold) => cold.fullAfterSeconds) },
      memory
    ]
  },
  {
    title: "512 connections, a provider that accepts at once",
    args: ["--connections", "512", "--measures", "send"],
    aims: [{ figure: "send: rate, × (a)", atLeast: 1.5, ...sendRateTo(A) }]
  },
  {
    title: "64 connections, a provider that accepts at once",
    args: ["--measures", "send,verify,status,message,message-whole,fallback,quiet"],
    aims: [
      ...processorTimeOf("send", 180, 180),
      { figure: "send: rate, × (a)", atLeast: 1, ...sendRateTo(A) },
      quietBehind,
      { figure: "quiet: p99, × (a)", atMost: 1, valuesIn: ratioTo(A, "quiet", p99) },
      ...processorTimeOf("verify right", 60, 50),
      ...processorTimeOf("message-whole", 200, 180),
      { figure: "message: rate, × (a)", atLeast: 1, valuesIn: ratioTo(A, "message", throughput) },
      {
        figure: "message-whole: rate, × (a)",
        atLeast: 0.8,
        valuesIn: ratioTo(A, "message-whole", throughput)
      },
      {
        figure: "fallbacks a second",
        atLeast: 10_000,
        valuesIn: ({ fallbacks }) =>
          fallbacks.flatMap(({ pace, perSecond }) => (pace === "backlog" ? [perSecond] : []))
      },
      memory
    ]
  },
  {
    title: "512 connections, 10 000 customers",
    // Each process first has to read each customer's set-up: with less warm-up, that would be measured. And in a pause of
    // 20 s, as many rounds of the guard fall due as in a minute of use: turns that follow each other have no such pause.
    args: `--connections 512 --customers 10000 --warm-up 40 --in-a-row 4 --measures send --subjects peyk,${A}`.split(
      " "
    ),
    aims: [{ figure: "send: rate, × (a)", atLeast: 1.2, ...sendRateTo(A) }]
  }
]

/** Peyk, and the two that it is compared with. */
export const AIM_SUBJECTS = `peyk,${A},${A2}`

/** Whether every round reached it; null: it was not measured. */
export const isReached = (
  { atLeast = -Infinity, atMost = Infinity }: Pick<Aim, "atLeast" | "atMost">,
  values: ReadonlyArray<number>
): boolean | null =>
  values.length === 0 ? null : values.every((value) => value >= atLeast && value <= atMost)

const VERDICTS = { true: "yes", false: "no", null: "not measured" } as const

const shown = (value: number): string =>
  Number.isNaN(value) ? "–" : value.toFixed(Math.abs(value) < 10 ? 2 : 0)

/** A row for each aim: its median and its range over the rounds. */
export const reportAims = (
  measured: ReadonlyArray<{ readonly section: Section; readonly results: SectionResults }>
): string => {
  const rows = measured.flatMap(({ section, results }) =>
    section.aims.map((aim) => {
      const values = aim.valuesIn(results)
      return [
        section.title,
        aim.figure,
        aim.atLeast === undefined ? `≤ ${aim.atMost}` : `≥ ${aim.atLeast}`,
        shown(median(values)),
        values.length === 0 ? "–" : `${shown(Math.min(...values))}–${shown(Math.max(...values))}`,
        shown(median(aim.boundsIn?.(results) ?? [])),
        VERDICTS[`${isReached(aim, values)}`]
      ]
    })
  )
  return tableOf(
    ["", "", "aim", "median", "range", "best that the provider's time allows", "reached in every round"],
    rows
  )
}
