import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { PAGE_HEADERS } from "./ConsoleHeaders.ts"

export type CsvCell = string | number | null

/** A cell that begins like a formula would be one in a spreadsheet; numbers and phones are none. */
const inert = (text: string): string => (/^[=@\t\r]|^[+-](?!\d[\d .]*$)/.test(text) ? `'${text}` : text)

const cell = (value: CsvCell): string => {
  if (value === null) return ""
  const text = typeof value === "number" ? String(value) : inert(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const line = (cells: ReadonlyArray<CsvCell>): string => `${cells.map(cell).join(",")}\r\n`

/** UTF-8 that spreadsheets recognize as such. */
const BYTE_ORDER_MARK = "\uFEFF"

/** A file of rows that are read while it is sent. */
export const csvFile = <Row>(
  name: string,
  columns: ReadonlyArray<readonly [header: string, cell: (row: Row) => CsvCell]>,
  rows: Stream.Stream<Row>
): HttpServerResponse.HttpServerResponse => {
  const header = BYTE_ORDER_MARK + line(columns.map(([title]) => title))
  const lines = Stream.map(rows, (row) => line(columns.map(([, read]) => read(row))))
  const body = Stream.concat(Stream.make(header), lines).pipe(Stream.encodeText)
  return HttpServerResponse.stream(body, {
    contentType: "text/csv; charset=utf-8",
    headers: { ...PAGE_HEADERS, "content-disposition": `attachment; filename="${name}"` }
  })
}

interface Part<Row> {
  readonly items: ReadonlyArray<Row>
  readonly next: string | null
}

const MAX_ROWS = 50_000
const PART_ROWS = 500

/** All parts of a list, up to a number of rows that is enough for a spreadsheet. */
export const allRows = <Row>(
  list: (page: { readonly limit: number; readonly after: string | null }) => Effect.Effect<Part<Row>>
): Stream.Stream<Row> =>
  Stream.paginate<string | null, Row>(null, (after) =>
    Effect.map(list({ limit: PART_ROWS, after }), ({ items, next }) => [
      items,
      next === null ? Option.none() : Option.some(next)
    ])
  ).pipe(Stream.take(MAX_ROWS))
