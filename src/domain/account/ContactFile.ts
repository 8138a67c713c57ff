import { CsvError, type Info, parse } from "csv-parse/sync"
import { Result } from "effect"
import { pasted } from "../text/PastedText.ts"
import { areRounded, chatIdProblem } from "./ChatId.ts"
import type { ContactLink } from "./ContactLink.ts"
import { parseContactPhone } from "../Phone.ts"

const PHONE_COLUMN = "phone"
const CHAT_COLUMN = "chat_id"
/** The most mistakes to report: a file in another format has too many. */
const MAX_REPORTED = 10
const ROUNDED =
  "every long chat_id ends in zeros: a spreadsheet keeps 15 digits of a number. Export the ids again, as text"

type Row = ReadonlyArray<string>

interface Columns {
  readonly phone: number
  readonly chat: number
}

const problems = {
  rewritten: "has a chat_id that a spreadsheet has rewritten",
  unusable: "has no usable chat_id"
}

const readRow = (row: Row, columns: Columns): Result.Result<ContactLink, string> =>
  Result.gen(function* () {
    const chatId = pasted(row[columns.chat] ?? "")
    const phone = yield* Result.mapError(
      parseContactPhone(row[columns.phone] ?? ""),
      () => "is not an Iranian mobile number"
    )
    const problem = chatIdProblem(chatId)
    return problem === null ? { phone, chatId } : yield* Result.fail(problems[problem])
  })

interface NumberedRow {
  readonly row: Row
  /** The number of the line on which the row ends: a quoted field can contain line breaks. */
  readonly line: number
}

const SEPARATORS = [",", ";", "\t"]

/** Spreadsheets write semicolons where the comma is the decimal point. The first line has the separator most often. */
const separatorOf = (csv: string): string => {
  const [line = ""] = csv.trimStart().split("\n", 1)
  const [first = ","] = SEPARATORS.toSorted((a, b) => line.split(b).length - line.split(a).length)
  return first
}

const rowsOf = (csv: string): Result.Result<ReadonlyArray<NumberedRow>, string> =>
  Result.try({
    try: () => {
      const rows: Array<NumberedRow> = []
      // csv-parse counts a CRLF within quotes as two lines
      const text = csv.replaceAll(/\r\n?/g, "\n")
      parse(text, {
        delimiter: separatorOf(text),
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

/** A file in UTF-16 that was decoded as UTF-8 begins with an unreadable character, or has NULs in its first line. */
const isUtf8 = (text: string): boolean => !/^(?:\uFFFD|[^\n]*\0)/.test(text)

/** The columns that a header names. */
const namedColumns = (header: Row): Columns | null => {
  const names = header.map((name) => name.toLowerCase())
  const columns = { phone: names.indexOf(PHONE_COLUMN), chat: names.indexOf(CHAT_COLUMN) }
  return columns.phone === -1 || columns.chat === -1 ? null : columns
}

/** A line without a digit has no contact: it is meant to be a header. */
const isContact = (first: Row): boolean => first.some((cell) => /\p{Nd}/u.test(cell))

interface ContactFileOptions {
  /** Lines without a header have the phone first, then the chat. */
  readonly isHeaderOptional?: boolean
}

/**
 * Reads CSV with the columns `phone` and `chat_id`, in any order, among others. All or nothing, with all mistakes.
 */
export const readContacts = (
  csv: string,
  { isHeaderOptional = false }: ContactFileOptions = {}
): Result.Result<ReadonlyArray<ContactLink>, string> => {
  if (!isUtf8(csv)) return Result.fail("the file is not text in UTF-8")
  return Result.flatMap(rowsOf(csv), (all) => {
    const [first] = all
    if (isHeaderOptional && first === undefined) return Result.succeed([])
    const named = namedColumns(first?.row ?? [])
    const isHeaderless = isHeaderOptional && named === null && isContact(first?.row ?? [])
    const columns = isHeaderless ? { phone: 0, chat: 1 } : named
    if (columns === null) {
      return Result.fail(`the first line has to name the columns ${PHONE_COLUMN} and ${CHAT_COLUMN}`)
    }
    const rows = isHeaderless ? all : all.slice(1)
    const contacts: Array<ContactLink> = []
    const mistakes: Array<string> = []
    for (const { row, line } of rows) {
      const contact = readRow(row, columns)
      if (Result.isSuccess(contact)) contacts.push(contact.success)
      else mistakes.push(`line ${line} ${contact.failure}`)
    }
    if (mistakes.length === 0 && areRounded(contacts.map(({ chatId }) => chatId))) return Result.fail(ROUNDED)
    if (mistakes.length === 0) return Result.succeed(contacts)
    const more = mistakes.length > MAX_REPORTED ? [`and ${mistakes.length - MAX_REPORTED} more`] : []
    return Result.fail([...mistakes.slice(0, MAX_REPORTED), ...more].join("; "))
  })
}
