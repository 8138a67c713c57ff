import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { retentionTasks } from "../../src/domain/Retention.ts"

const read = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), "utf8")

const [, section = ""] = read("docs/retention.md").split("## Which tables does it delete from?\n")
const table = section.split("\n").filter((line) => line.startsWith("| `"))
const namesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => name)

const tables = new Set(
  [...read("src/layers/postgres/schema.sql").matchAll(/^create table (\w+)/gm)].map(([, name = ""]) => name)
)
/** What its SQL names, of the tables that there are. */
const deletedFrom = ["LapsedRowsSql", "RecordWorkSql", "OldRecordsSql"]
  .flatMap((file) => [
    ...read(`src/layers/retention/${file}.ts`).matchAll(/(?:delete from|update|table: )\s*"?(\w+)/g)
  ])
  .map(([, name = ""]) => name)
  .filter((name) => tables.has(name))

describe("docs/retention.md", () => {
  it("names every task, in the first column, and no other", () => {
    const named = table.flatMap((line) => namesIn(line.split("|")[1] ?? ""))
    expect(named.toSorted()).toEqual([...retentionTasks, "webhook_deliveries"].toSorted())
  })

  it("names every table that rounds delete from", () => {
    expect(deletedFrom).toContain("webhook_deliveries")
    const named = new Set(table.flatMap(namesIn))
    expect(deletedFrom.filter((name) => !named.has(name))).toEqual([])
  })

  it("says the same of the tables that lapse after days of their own", () => {
    const sql = read("src/layers/retention/LapsedRowsSql.ts")
    for (const [, name = "", days = ""] of sql.matchAll(/^ {2}(\w+): .*interval '(\d+) days?'",?$/gm)) {
      const line = table.find((each) => namesIn(each.split("|")[1] ?? "").includes(name)) ?? ""
      expect(line, name).toMatch(days === "1" ? /\ba day\b/ : new RegExp(`\\b${days} days\\b`))
    }
  })
})
