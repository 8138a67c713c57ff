/** Reads Prometheus' text form as strictly as Prometheus does. */
import { expect } from "vitest"

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Exposition {
  readonly samples: ReadonlyArray<Sample>
  /** By the name of the family. */
  readonly types: ReadonlyMap<string, string>
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]Inf|-?[0-9.e+-]+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y

const labelsOf = (text: string, line: string): Readonly<Record<string, string>> => {
  const labels: Record<string, string> = {}
  let end = 0
  while (end < text.length) {
    LABEL.lastIndex = end
    const [all, name = "", value = ""] = LABEL.exec(text) ?? []
    expect(all, line).toBeDefined()
    expect(labels, line).not.toHaveProperty(name)
    labels[name] = value
    end = LABEL.lastIndex
  }
  return labels
}

const numberOf = (text: string): number => (text.endsWith("Inf") ? Number(`${text}inity`) : Number(text))

export const parseExposition = (text: string): Exposition => {
  expect(text.endsWith("\n")).toBe(true)
  const types = new Map<string, string>()
  const samples: Array<Sample> = []
  const seen = new Set<string>()
  for (const line of text.trimEnd().split("\n")) {
    const [, family, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? []
    if (family !== undefined && type !== undefined) {
      expect(types.has(family), `${family} is declared once`).toBe(false)
      types.set(family, type)
      continue
    }
    if (/^# HELP \S+ \S.*$/.test(line)) continue
    const [, name = "", labels = "", value = ""] = LINE.exec(line) ?? []
    expect(name, line).not.toBe("")
    const base = name.replace(/_(bucket|sum|count)$/, "")
    expect(types.has(name) || types.get(base) === "histogram", `${line} has a type`).toBe(true)
    const series = line.slice(0, line.lastIndexOf(" "))
    expect(seen.has(series), `${series} is there once`).toBe(false)
    seen.add(series)
    samples.push({ name, labels: labelsOf(labels, line), value: numberOf(value) })
  }
  return { samples, types }
}

/** The sum of all series of a name that have these labels. */
export const valueOf = (
  { samples }: Exposition,
  name: string,
  labels: Readonly<Record<string, string>> = {}
): number =>
  samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0)
