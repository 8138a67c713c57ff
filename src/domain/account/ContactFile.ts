import { CsvError, type Info, parse } from "csv-parse/sync"
import { Result } from "effect"
import type { ContactLink } from "./ContactLink.ts"
import { parseContactPhone } from "../Phone.ts"

const PHONE_COLUMN = "phone"
const CHAT_COLUMN = "chat_id"
const CHAT_ID = /^[\x21-\x7e]{1,128}$/
/** The most mistakes to report: a file in another format has too many. */
const MAX_REPORTED = 10

type Row = ReadonlyArray<string>

const readRow = (
  row: Row,
  columns: { readonly phone: number; readonly chat: number }
): Result.Result<ContactLink, string> => {
  const chatId = row[columns.chat] ?? ""
  return parseContactPhone(row[columns.phone] ?? "").pipe(
    Result.mapError(() => "is not an Iranian mobile number"),
    Result.filterOrFail(
      () => CHAT_ID.test(chatId),
      () => "has no usable chat_id"
    ),
    Result.map((phone) => ({ phone, chatId }))
  )
}

interface NumberedRow {
  readonly row: Row
  /** The number of the line on which the row ends: a quoted field can contain line breaks. */
  readonly line: number
}

const rowsOf = (csv: string): Result.Result<ReadonlyArray<NumberedRow>, string> =>
  Result.try({
    try: () => {
      const rows: Array<NumberedRow> = []
      // csv-parse counts a CRLF within quotes as two lines
      parse(csv.replaceAll(/\r\n?/g, "\n"), {
        bom: true,
        trim: true,
        relax_column_count: true,
        skip_empty_lines: true,
        on_record: (row: Row, { lines }: Info) => {
          rows.push({ row, line: lines })
          return null
        }
      })
      return rows
    },
    // its own message would show what the file says there
    catch: (cause) =>
      `line ${cause instanceof CsvError ? cause["lines"] : "?"} has a quote that is not closed, or inside a field`
  })

/** Reads CSV with the columns `phone` and `chat_id`, in any order, among others. All or nothing, with all mistakes. */
export const readContacts = (csv: string): Result.Result<ReadonlyArray<ContactLink>, string> =>
  Result.flatMap(rowsOf(csv), ([header, ...rows]) => {
    const names = (header?.row ?? []).map((name) => name.toLowerCase())
    const columns = { phone: names.indexOf(PHONE_COLUMN), chat: names.indexOf(CHAT_COLUMN) }
    if (columns.phone === -1 || columns.chat === -1) {
      return Result.fail(`the first line has to name the columns ${PHONE_COLUMN} and ${CHAT_COLUMN}`)
    }
    const contacts: Array<ContactLink> = []
    const mistakes: Array<string> = []
    for (const { row, line } of rows) {
      const contact = readRow(row, columns)
      if (Result.isSuccess(contact)) contacts.push(contact.success)
      else mistakes.push(`line ${line} ${contact.failure}`)
    }
    if (mistakes.length === 0) return Result.succeed(contacts)
    const more = mistakes.length > MAX_REPORTED ? [`and ${mistakes.length - MAX_REPORTED} more`] : []
    return Result.fail([...mistakes.slice(0, MAX_REPORTED), ...more].join("; "))
  })
