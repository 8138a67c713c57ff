import { Console, Effect } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import { inOneLine, shown } from "../../domain/text/VisibleText.ts"

/** `--json`, valid after every command. */
export const JsonFlag = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for programs"), Flag.withDefault(false))
})

type Value = string | number | boolean | null | ReadonlyArray<unknown> | object
export type Fields = Readonly<Record<string, Value>>

const show = (value: Value | undefined): string => {
  if (value === null || value === undefined) return "–"
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.map(show).join(", ")
  return inOneLine(typeof value === "object" ? JSON.stringify(value) : String(value))
}

const isFields = (value: Value | undefined): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0

/** The fields of objects in it too, as "object.field". */
const flatten = (fields: Fields, path = ""): ReadonlyArray<readonly [name: string, value: Value]> =>
  Object.entries(fields).flatMap(([name, value]) =>
    isFields(value) ? flatten(value, `${path}${name}.`) : [[`${path}${name}`, value] as const]
  )

/** One line per field. */
export const asLines = (fields: Fields): string => {
  const lines = flatten(fields)
  const width = Math.max(...lines.map(([name]) => name.length))
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${show(value)}`).join("\n")
}

export const asTable = (rows: ReadonlyArray<Fields>): string => {
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

/** The text for people, or its JSON. */
export const print = (json: string, people: string) =>
  Effect.flatMap(JsonFlag, (isJson) => Console.log(isJson ? shown(json) : people))

/** One thing: its fields, one per line, or one JSON object. */
export const printOne = (fields: Fields) => print(JSON.stringify(fields), asLines(fields))

/** Several things: a table, or `{"data": […]}`. */
export const printMany = (rows: ReadonlyArray<Fields>) => print(JSON.stringify({ data: rows }), asTable(rows))
