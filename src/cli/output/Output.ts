import { Console, Effect, Option, Schema } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import { CommandError } from "./CommandError.ts"
import { type Page, type PageRequest, DEFAULT_PAGE, MAX_PAGE } from "../../domain/Paging.ts"
import { inOneLine, shown } from "../../domain/text/VisibleText.ts"
import {
  decodeCursor,
  decodeNestedPosition,
  type ListName,
  type NestedListName
} from "../../http/manage/ManageWire.ts"
import { SearchInstant } from "../../http/manage/SearchFields.ts"

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

/** The flags of every list with pages. */
export const pageFlags = {
  limit: Flag.Int("limit").pipe(
    Flag.withDescription(`Rows to show: 1 to ${MAX_PAGE}`),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_PAGE }))),
    Flag.withDefault(DEFAULT_PAGE)
  ),
  cursor: Flag.String("cursor").pipe(
    Flag.withDescription("The cursor that the previous page ended with"),
    Flag.optional
  )
}

interface GivenPart {
  readonly limit: number
  readonly cursor: Option.Option<string>
}

const partAfter = (
  { limit, cursor }: GivenPart,
  positionOf: (cursor: string) => string | null
): Effect.Effect<PageRequest, CommandError> => {
  const after = Option.isNone(cursor) ? null : positionOf(cursor.value)
  return after === null && Option.isSome(cursor)
    ? Effect.fail(
        new CommandError({ message: "--cursor must be the cursor that a page of this list ended with" })
      )
    : Effect.succeed({ limit, after })
}

/** The page that the flags ask for; a list does not accept the cursor of another one. */
export const pageOf = (list: ListName, given: GivenPart) =>
  partAfter(given, (cursor) => decodeCursor(list, cursor))

/** The page of a list that each parent has one of. */
export const nestedPageOf = (list: NestedListName, parent: number, given: GivenPart) =>
  partAfter(given, (cursor) => {
    const position = decodeCursor(list, cursor)
    return position === null ? null : decodeNestedPosition(parent, position)
  })

/** A time to compare with; without an offset it is Tehran time, as in the API. */
export const timeFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(`${description}, ISO 8601`),
    Flag.withSchema(SearchInstant),
    Flag.optional
  )

/** A page of a list: a table and how to continue; or the API's response. */
export const printPage = (json: string, rows: ReadonlyArray<Fields>, nextCursor: string | null) =>
  print(json, nextCursor === null ? asTable(rows) : `${asTable(rows)}\n\nmore with --cursor ${nextCursor}`)

const PART = 100

/** All of a list, in the order of the list. */
export const listAll = Effect.fnUntraced(function* <A, E, R>(
  list: (page: PageRequest) => Effect.Effect<Page<A>, E, R>
) {
  const items: Array<A> = []
  let after: string | null = null
  do {
    const page: Page<A> = yield* list({ limit: PART, after })
    items.push(...page.items)
    after = page.next
  } while (after !== null)
  return items
})
