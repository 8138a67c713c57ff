import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Page, PageRequest } from "../../../domain/Paging.ts"
import { PAGE_HEADERS } from "./Document.ts"

export type CsvCell = string | number | null

/**
 * The beginning of a formula: of the text, or of what follows a separator in it. A spreadsheet that separates cells by
 * semicolons or tabs ends them within quotes too. Numbers and phones are no formulas.
 */
const FORMULA = /(^|[;\t\r\n])([\s"\p{Cf}]*)(?=[=@＝＠]|[+\-＋－](?!\d[\d .]*(?:[;\t\r\n]|$)))/gu

/** A text that a spreadsheet does not run. */
const inert = (text: string): string => text.replace(FORMULA, "$1$2'")

const cell = (value: CsvCell): string => {
  if (value === null) return ""
  const text = typeof value === "number" ? String(value) : inert(value)
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvLine = (cells: ReadonlyArray<CsvCell>): string => `${cells.map(cell).join(",")}\r\n`

/** UTF-8 that spreadsheets recognize as such. */
const BYTE_ORDER_MARK = "\uFEFF"

/** A file of rows that are read while it is sent. */
export const csvFile = <Row>(
  name: string,
  columns: ReadonlyArray<readonly [header: string, cell: (row: Row) => CsvCell]>,
  rows: Stream.Stream<Row>
): HttpServerResponse.HttpServerResponse => {
  const header = BYTE_ORDER_MARK + csvLine(columns.map(([title]) => title))
  const lines = Stream.map(rows, (row) => csvLine(columns.map(([, read]) => read(row))))
  const body = Stream.concat(Stream.make(header), lines).pipe(Stream.encodeText)
  return HttpServerResponse.stream(body, {
    contentType: "text/csv; charset=utf-8",
    headers: { ...PAGE_HEADERS, "content-disposition": `attachment; filename="${name}"` }
  })
}

const PART_ROWS = 500

/**
 * All rows of a list, read in parts while the file is sent, each once the client has read the part before. The first
 * part is read at once: if that fails, an error is returned instead of a file. Later the connection is broken, so that
 * no file looks complete.
 */
export const allRows = <Row, R>(
  list: (page: PageRequest) => Effect.Effect<Page<Row>, never, R>
): Effect.Effect<Stream.Stream<Row>, never, R> =>
  Effect.gen(function* () {
    const services = yield* Effect.context<R>()
    const first = yield* list({ limit: PART_ROWS, after: null })
    const rest = Stream.paginate(first.next, (after) =>
      after === null
        ? Effect.succeed([[], Option.none()] as const)
        : Effect.map(
            Effect.provide(list({ limit: PART_ROWS, after }), services),
            ({ items, next }) => [items, next === null ? Option.none() : Option.some(next)] as const
          )
    )
    return Stream.concat(Stream.fromIterable(first.items), rest)
  })
