import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { conditions, numbers } from "../../site/src/landing.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const performance = readFileSync(`${root}docs/performance.md`, "utf8").replaceAll(/\s+/g, " ")

/** From one heading to the next. */
const under = (heading: string): string => {
  const [, section] = new RegExp(`## ${heading.replace("?", "\\?")} (.*?)(?= ## |$)`).exec(performance) ?? []
  if (section === undefined) throw new Error(`docs/performance.md has no "${heading}"`)
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

const SENDS = "**sends, 1000 connections, a provider of 100 ms**"
const USED = "How fast is it where it is used?"
const [time = "", , ofForgetful = "", , ofCrashSafe = ""] = row(USED, SENDS)
const [ofProcess = "", ofStore = ""] = time.split(" + ")
const [, memory = ""] = row("How fast does it start?", "memory of an idle server")

const inPersian = (figure: string) => Number(figure).toLocaleString("fa")

describe("the figures of the first page are those of docs/performance.md", () => {
  const [send, crashSafe, forgetful, idle] = numbers

  it("how much time of the processors a send takes", () => {
    expect(send?.value).toEqual({ en: `${ofProcess} µs`, fa: `${inPersian(ofProcess)} میکروثانیه` })
    expect(send?.en).toContain(`${ofStore} µs of PostgreSQL`)
    expect(send?.fa).toContain(`${inPersian(ofStore)} میکروثانیه در PostgreSQL`)
  })

  it("how that compares with hand-written services", () => {
    expect(crashSafe?.value).toEqual({ en: `${ofCrashSafe} ×`, fa: `${inPersian(ofCrashSafe)} برابر` })
    expect(forgetful?.value).toEqual({ en: `${ofForgetful} ×`, fa: `${inPersian(ofForgetful)} برابر` })
    expect(under("What is compared?")).toContain("a crash can forget a sent code")
  })

  it("how much memory an idle server takes", () => {
    expect(idle?.value.en).toBe(memory)
    expect(idle?.value.fa).toBe(`${inPersian(memory.replace(" MB", ""))} مگابایت`)
  })

  it("under the same conditions", () => {
    const machine = under("What is compared?")
    const cores = /2 shared cores \(AMD EPYC\)/.exec(machine)?.[0] ?? "cores"
    const load = /1000 connections, a provider of 100 ms/.exec(SENDS)?.[0] ?? "load"
    const date = (heading: string) => /\d{4}-\d\d-\d\d/.exec(under(heading))?.[0] ?? "date"
    for (const part of [cores, load, date(USED), `Memory: ${date("How fast does it start?")}`])
      expect(conditions.en).toContain(part)
    const inFull = (day: string) =>
      `${inPersian(day.slice(8))} نوامبر ${inPersian(day.slice(0, 4)).replaceAll("٬", "")}`
    for (const part of [inFull(date(USED)), `حافظه: ${inFull(date("How fast does it start?"))}`])
      expect(conditions.fa).toContain(part)
  })
})
