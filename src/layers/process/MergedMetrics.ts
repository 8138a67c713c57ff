import type { OwnMetrics } from "./ProcessMessages.ts"

interface Family {
  /** `# HELP` and `# TYPE`. */
  readonly heads: Set<string>
  readonly samples: Array<string>
}

const HEAD = /^# (?:HELP|TYPE) (\S+)/

const withProcess = (sample: string, process: number): string => {
  const label = `process="${process}"`
  const end = sample.search(/[{ ]/)
  if (end === -1) return sample
  const name = sample.slice(0, end)
  const rest = sample.slice(end)
  if (!rest.startsWith("{")) return `${name}{${label}}${rest}`
  return `${name}{${label}${rest.startsWith("{}") ? "" : ","}${rest.slice(1)}`
}

/** The metrics of several processes as one text: each sample has a label `process`, and each metric is in one piece. */
export const mergeMetrics = (parts: ReadonlyArray<OwnMetrics>): string => {
  const families = new Map<string, Family>()
  for (const { process, text } of parts) {
    let family: Family = { heads: new Set(), samples: [] }
    for (const line of text.split("\n")) {
      const [, name] = HEAD.exec(line) ?? []
      if (name !== undefined) {
        family = families.get(name) ?? { heads: new Set(), samples: [] }
        families.set(name, family)
        family.heads.add(line)
      } else if (line !== "" && !line.startsWith("#")) {
        family.samples.push(withProcess(line, process))
      }
    }
  }
  const lines = [...families.values()].flatMap(({ heads, samples }) => [...heads, ...samples])
  return `${lines.join("\n")}\n`
}
