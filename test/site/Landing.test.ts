import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { conditions, numbers } from "../../site/src/landing.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const read = (file: string) => readFileSync(`${root}docs/${file}`, "utf8").replaceAll(/\s+/g, " ")
const benchmarks = read("decisions/0034-benchmarks-with-an-instant-provider.md")
const performance = `${read("performance.md")} ${benchmarks}`

/** From one heading to the next. */
const under = (heading: string): string => {
  const [, section] = new RegExp(`## ${heading.replace("?", "\\?")} (.*?)(?= ## |$)`).exec(performance) ?? []
  if (section === undefined) throw new Error(`no document has "${heading}"`)
  return section
}

/** The cells of the row of a table that begins with these. */
const row = (heading: string, ...first: ReadonlyArray<string>): ReadonlyArray<string> => {
  const start = `| ${first.join(" | ")} | `
  const section = under(heading)
  const [cells = ""] = section.slice(section.indexOf(start) + start.length).split(" | |")
  if (!section.includes(start)) throw new Error(`"${heading}" has no row ${start}`)
  return cells.split("|").map((cell) => cell.trim())
}

const [rate = "", , p99 = ""] = row("How many sends a second?", "peyk")
const ratio = row("How many sends a second?", "(a2)").at(6) ?? ""
const [statusRate = ""] = row("How fast are all operations?", "status", "peyk")
const [, memory = ""] = row("How fast does it start?", "memory of an idle server")

const inEnglish = (figure: string) => Number(figure).toLocaleString("en")
const inPersian = (figure: string) => Number(figure).toLocaleString("fa")

describe("the figures of the first page are those of the documents", () => {
  const [sends, against, status, idle] = numbers

  it("how many codes are sent, and how fast", () => {
    expect(sends?.value.en).toBe(`${inEnglish(rate)} / s`)
    expect(sends?.value.fa).toBe(`${inPersian(rate)} در ثانیه`)
    expect(sends?.en).toContain(`99% answered within ${inEnglish(p99)} ms`)
    expect(sends?.fa).toContain(`تا ${inPersian(p99)} میلی‌ثانیه`)
  })

  it("how that compares with a service that is as crash-safe", () => {
    expect(against?.value).toEqual({ en: `${ratio} ×`, fa: `${inPersian(ratio)} برابر` })
    expect(performance).toContain("`fastify-crash-safe`")
  })

  it("how many statuses are read, in which hour", () => {
    expect(status?.value.en).toBe(`${inEnglish(statusRate)} / s`)
    expect(status?.value.fa).toBe(`${inPersian(statusRate)} در ثانیه`)
    expect(under("How fast are all operations?")).toContain("in a slow hour")
    expect(status?.en).toContain("in a slow hour")
  })

  it("how much memory an idle server takes", () => {
    expect(idle?.value.en).toBe(memory)
    expect(idle?.value.fa).toBe(`${inPersian(memory.replace(" MB", ""))} مگابایت`)
  })

  it("under the same conditions", () => {
    const machine = under("What is compared?")
    const cores = /2 shared cores \(AMD EPYC\)/.exec(machine)?.[0] ?? "cores"
    const connections = /\d+ connections/.exec(benchmarks)?.[0] ?? "connections"
    const date = (heading: string) => /\d{4}-\d\d-\d\d/.exec(under(heading))?.[0] ?? "date"
    const dates = [date("How many sends a second?"), date("How fast are all operations?")]
    for (const part of [cores, connections, ...dates, `Memory: ${date("How fast does it start?")}`])
      expect(conditions.en).toContain(part)
    const inFull = (day: string) =>
      `${inPersian(day.slice(8))} نوامبر ${inPersian(day.slice(0, 4)).replaceAll("٬", "")}`
    for (const part of [inFull(dates[0] ?? ""), `حافظه: ${inFull(date("How fast does it start?"))}`])
      expect(conditions.fa).toContain(part)
  })
})
