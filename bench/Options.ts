/** The measurements, from the command line. */
import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { readFlags } from "./Flags.ts"

export const subjectNames = [
  "peyk",
  "peyk-unlogged",
  "peyk-unguarded",
  "fastify",
  "fastify-crash-safe",
  "better-auth",
  "pgbench",
  "node-http"
] as const
export type SubjectName = (typeof subjectNames)[number]
/** Without Peyk's variants, which are there for questions about one part of it. */
const USUAL_SUBJECTS = subjectNames.filter((name) => !name.startsWith("peyk-"))

export const measureNames = [
  "send",
  "verify",
  "status",
  "message",
  "message-whole",
  "fallback",
  "webhook",
  "pending",
  "refused",
  "quiet",
  "cold"
] as const
/** Pending timers take minutes to create. */
const USUAL_MEASURES = "send,verify,status,message,message-whole,fallback"
export type MeasureName = (typeof measureNames)[number]

const generatorNames = ["wrk", "autocannon"] as const
export type GeneratorName = (typeof generatorNames)[number]

export interface Options {
  readonly subjects: ReadonlyArray<SubjectName>
  readonly measures: ReadonlyArray<MeasureName>
  readonly rounds: number
  readonly seconds: number
  /** Before anything is counted, so that code is compiled and statements are prepared. */
  readonly warmUpSeconds: number
  /** In each turn, after the pause and the checkpoint, and before anything is counted. */
  readonly settlingSeconds: number
  /** How many turns of a subject follow each other; before more than one, another one is not counted. */
  readonly inARow: number
  readonly connections: number
  /** How many requests arrive in a second, whatever became of those before; null: as many as the connections allow. */
  readonly openLoop: number | null
  /** How long half of the calls of a provider take; others take longer (see ProviderDelay.ts). */
  readonly providerMillis: number
  /** null: the best there is. */
  readonly load: GeneratorName | null
  /** How many verifications are already in the tables, and of how many customers. */
  readonly stored: number
  readonly customers: number
  /** A directory to keep; null: one for this run only. */
  readonly data: string | null
  /** PostgreSQL of one's own, with an empty database for Peyk; null: the embedded one. */
  readonly databaseUrl: string | null
  /** The number of Peyk's processes on one port. */
  readonly processes: number
  readonly pgbench: string
  /** How much slower each flush to the disk is. */
  readonly flushMillis: number
  readonly json: string | null
}

const whole = (name: string, given: string, least = 1, most = Number.MAX_SAFE_INTEGER): number => {
  const value = Number(given)
  if (!Number.isInteger(value) || value < least || value > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? `, at least ${least}` : ` from ${least} to ${most}`
    throw new Error(`--${name} has to be a whole number${range}`)
  }
  return value
}

const oneOf = <A extends string>(name: string, given: string, known: ReadonlyArray<A>): A => {
  const found = known.find((each) => each === given)
  if (found === undefined) throw new Error(`--${name} knows ${known.join(", ")}, not ${given}`)
  return found
}

const listOf = <A extends string>(name: string, given: string | undefined, known: ReadonlyArray<A>) => {
  const wanted = given?.split(",").map((each) => oneOf(name, each.trim(), known))
  return wanted === undefined ? known : known.filter((each) => wanted.includes(each))
}

const MAX_CUSTOMERS = 10_000
const MAX_CONNECTIONS = 2000
const MAX_PER_SECOND = 20_000
/** The slowest calls take four times as long, and Peyk waits 10 s. */
const MAX_PROVIDER_MILLIS = 2000
/**
 * With the usual number of connections, more would have too few each to share statements; elsewhere a port is not
 * shared.
 */
const USUAL_PROCESSES = process.platform === "linux" ? Math.min(4, availableParallelism()) : 1

export const readOptions = (args: ReadonlyArray<string>): Options => {
  const values = readFlags(
    {
      subjects: { type: "string" },
      measures: { type: "string" },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "4" },
      "warm-up": { type: "string", default: "3" },
      settle: { type: "string", default: "2" },
      "in-a-row": { type: "string", default: "1" },
      connections: { type: "string", default: "64" },
      "open-loop": { type: "string" },
      "provider-millis": { type: "string", default: "0" },
      load: { type: "string" },
      stored: { type: "string" },
      customers: { type: "string", default: "1" },
      data: { type: "string" },
      "database-url": { type: "string" },
      processes: { type: "string", default: String(USUAL_PROCESSES) },
      pgbench: { type: "string", default: "pgbench" },
      "flush-millis": { type: "string" },
      json: { type: "string" }
    },
    args
  )
  if (values["database-url"] !== undefined && values["flush-millis"] !== undefined)
    throw new Error("--flush-millis slows down the embedded PostgreSQL, not that of --database-url")
  return {
    subjects: listOf("subjects", values.subjects ?? USUAL_SUBJECTS.join(), subjectNames),
    measures: listOf("measures", values.measures ?? USUAL_MEASURES, measureNames),
    rounds: whole("rounds", values.rounds),
    seconds: whole("seconds", values.seconds),
    warmUpSeconds: whole("warm-up", values["warm-up"]),
    settlingSeconds: whole("settle", values.settle, 0),
    inARow: whole("in-a-row", values["in-a-row"]),
    connections: whole("connections", values.connections, 1, MAX_CONNECTIONS),
    openLoop:
      values["open-loop"] === undefined ? null : whole("open-loop", values["open-loop"], 1, MAX_PER_SECOND),
    providerMillis: whole("provider-millis", values["provider-millis"], 0, MAX_PROVIDER_MILLIS),
    load: values.load === undefined ? null : oneOf("load", values.load, generatorNames),
    stored: values.stored === undefined ? 0 : whole("stored", values.stored),
    customers: whole("customers", values.customers, 1, MAX_CUSTOMERS),
    data: values.data === undefined ? null : resolve(values.data),
    databaseUrl: values["database-url"] ?? null,
    processes: whole("processes", values.processes),
    pgbench: values.pgbench,
    flushMillis: values["flush-millis"] === undefined ? 0 : whole("flush-millis", values["flush-millis"]),
    json: values.json ?? null
  }
}
