import { Console, Effect } from "effect"
import { Flag, GlobalFlag } from "effect/cli"

/** `--json`, valid after every command. */
export const JsonFlag = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for machines"), Flag.withDefault(false))
})

type Value = string | number | boolean | null | ReadonlyArray<unknown> | object
export type Fields = Readonly<Record<string, Value>>

const show = (value: Value | undefined): string => {
  if (value === null || value === undefined) return "–"
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.join(", ")
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

const lines = (fields: Fields): string => {
  const width = Math.max(...Object.keys(fields).map((name) => name.length))
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${show(value)}`)
    .join("\n")
}

const table = (rows: ReadonlyArray<Fields>): string => {
  const [first] = rows
  if (first === undefined) return "none"
  const names = Object.keys(first)
  const cells = [names, ...rows.map((row) => names.map((name) => show(row[name])))]
  const widths = names.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** One thing: its fields, a line each, or one JSON object. */
export const printOne = (fields: Fields) =>
  Effect.flatMap(JsonFlag, (json) => Console.log(json ? JSON.stringify(fields) : lines(fields)))

/** Several things: a table, or `{"data": […]}`. */
export const printMany = (rows: ReadonlyArray<Fields>) =>
  Effect.flatMap(JsonFlag, (json) => Console.log(json ? JSON.stringify({ data: rows }) : table(rows)))
