/** What to measure, from the command line. */
import { parseArgs } from "node:util"

export const subjectNames = ["peyk", "fastify", "fastify-crash-safe", "better-auth", "node-http"] as const
export type SubjectName = (typeof subjectNames)[number]

export const measureNames = ["send", "verify", "status", "message"] as const
export type MeasureName = (typeof measureNames)[number]

const generatorNames = ["wrk", "autocannon"] as const
export type GeneratorName = (typeof generatorNames)[number]

export interface Options {
  readonly subjects: ReadonlyArray<SubjectName>
  readonly measures: ReadonlyArray<MeasureName>
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
  /** null: the best there is. */
  readonly load: GeneratorName | null
  readonly json: string | null
}

const whole = (name: string, given: string): number => {
  const value = Number(given)
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} has to be a whole number above 0`)
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

export const readOptions = (args: ReadonlyArray<string>): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      subjects: { type: "string" },
      measures: { type: "string" },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "4" },
      connections: { type: "string", default: "64" },
      load: { type: "string" },
      json: { type: "string" }
    }
  })
  return {
    subjects: listOf("subjects", values.subjects, subjectNames),
    measures: listOf("measures", values.measures, measureNames),
    rounds: whole("rounds", values.rounds),
    seconds: whole("seconds", values.seconds),
    connections: whole("connections", values.connections),
    load: values.load === undefined ? null : oneOf("load", values.load, generatorNames),
    json: values.json ?? null
  }
}
