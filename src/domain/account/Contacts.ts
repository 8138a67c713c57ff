import { CsvError, type Info, parse } from "csv-parse/sync"
import { Array as Arr, Result } from "effect"
import { parseContactPhone, type Phone } from "../Phone.ts"
import { problem, type Problem } from "../Problem.ts"
import { pasted } from "../text/PastedText.ts"

/** How many one request, or one form, can link. */
export const MAX_CONTACTS = 1000

/** Platforms have ids of different forms, and new ones: any of them. */
export const CHAT_ID = /^[\x21-\x7e]{1,128}$/
const INTEGER = /^-?\d+$/
/** What spreadsheets write for an id that they took for a number, and for a formula that failed. */
const REWRITTEN = /^(?:[-+]?\d[\d.,]*(?:e[-+]?\d+)?|true|false|null|none|nan|#.*)$/i

const isRewritten = (text: string): boolean => REWRITTEN.test(text) && !INTEGER.test(text)

/** Why a text cannot be the id of a chat, be it of the API, of a form or of a file; null: it can. */
export const chatIdProblem = (text: string): "rewritten" | "unusable" | null => {
  if (!CHAT_ID.test(text)) return "unusable"
  return isRewritten(text) ? "rewritten" : null
}

/** Spreadsheets keep this many digits of a number, and write zeros for the rest. */
const KEPT_DIGITS = 15
/** A long id may end in zeros by chance, but not several, and no other. */
const MIN_ROUNDED = 2

/** Whether a spreadsheet has replaced the last digits of all long ids by zeros. */
const areRounded = (chatIds: ReadonlyArray<string>): boolean => {
  const long = chatIds.filter((id) => INTEGER.test(id) && id.replace("-", "").length > KEPT_DIGITS + 1)
  return long.length >= MIN_ROUNDED && long.every((id) => /^0+$/.test(id.replace("-", "").slice(KEPT_DIGITS)))
}

/** A phone, and the chat by which a bot reaches it: the platform's id, as it writes it. */
export interface ContactLink {
  readonly phone: Phone
  readonly chatId: string
}

const PHONE_COLUMN = "phone"
const CHAT_COLUMN = "chat_id"
/** The most mistakes to report: a file in another format has too many. */
const MAX_REPORTED = 10

type Row = ReadonlyArray<string>

interface Columns {
  readonly phone: number
  readonly chat: number
}

interface NumberedRow {
  readonly row: Row
  /** The number of the line on which the row ends: a quoted field can contain line breaks. */
  readonly line: number
}

const chatProblems = {
  rewritten: (line: number) => problem("line_chat_rewritten", { line }),
  unusable: (line: number) => problem("line_chat_unusable", { line })
}

const readRow = ({ row, line }: NumberedRow, columns: Columns): Result.Result<ContactLink, Problem> =>
  Result.gen(function* () {
    const chatId = pasted(row[columns.chat] ?? "")
    const phone = yield* Result.mapError(parseContactPhone(row[columns.phone] ?? ""), () =>
      problem("line_not_mobile", { line })
    )
    const wrong = chatIdProblem(chatId)
    return wrong === null ? { phone, chatId } : yield* Result.fail(chatProblems[wrong](line))
  })

const SEPARATORS = [",", ";", "\t"]

/** Spreadsheets write semicolons where the comma is the decimal point. The first line has the separator most often. */
const separatorOf = (csv: string): string => {
  const [line = ""] = csv.trimStart().split("\n", 1)
  const [first = ","] = SEPARATORS.toSorted((a, b) => line.split(b).length - line.split(a).length)
  return first
}

const lineOf = ({ lines }: CsvError): number | null => (typeof lines === "number" ? lines : null)

const rowsOf = (csv: string): Result.Result<ReadonlyArray<NumberedRow>, Problem> =>
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
    catch: (cause) => problem("line_quote", { line: cause instanceof CsvError ? lineOf(cause) : null })
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
): Result.Result<ReadonlyArray<ContactLink>, ReadonlyArray<Problem>> => {
  if (!isUtf8(csv)) return Result.fail([problem("file_not_utf8")])
  return Result.flatMap(Result.mapError(rowsOf(csv), Arr.of), (all) => {
    const [first] = all
    if (isHeaderOptional && first === undefined) return Result.succeed([])
    const named = namedColumns(first?.row ?? [])
    const isHeaderless = isHeaderOptional && named === null && isContact(first?.row ?? [])
    const columns = isHeaderless ? { phone: 0, chat: 1 } : named
    if (columns === null) {
      return Result.fail([problem("file_without_columns", { columns: [PHONE_COLUMN, CHAT_COLUMN] })])
    }
    const rows = isHeaderless ? all : all.slice(1)
    const contacts: Array<ContactLink> = []
    const mistakes: Array<Problem> = []
    for (const numbered of rows) {
      const contact = readRow(numbered, columns)
      if (Result.isSuccess(contact)) contacts.push(contact.success)
      else mistakes.push(contact.failure)
    }
    if (mistakes.length === 0 && areRounded(contacts.map(({ chatId }) => chatId))) {
      return Result.fail([problem("file_rounded")])
    }
    if (mistakes.length === 0) return Result.succeed(contacts)
    const rest = mistakes.length - MAX_REPORTED
    const more = rest > 0 ? [problem("more", { count: rest })] : []
    return Result.fail([...mistakes.slice(0, MAX_REPORTED), ...more])
  })
}
