import { Result } from "effect"
import type { ContactLink } from "./ContactLink.ts"
import { parseContactPhone } from "../Phone.ts"

const PHONE_COLUMN = "phone"
const CHAT_COLUMN = "chat_id"
const CHAT_ID = /^[\x21-\x7e]{1,128}$/
/** Reports at most so many mistakes: a file in another format has too many. */
const MAX_TOLD = 10

const FIELD = /\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(?:,|$)/g

/** Fields of a line. A field can be quoted, as spreadsheets write it, and then contain commas. */
const fieldsOf = (line: string): ReadonlyArray<string> =>
  Array.from(line.matchAll(FIELD), ([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain.trim())

const readLine = (
  line: string,
  columns: { readonly phone: number; readonly chat: number }
): Result.Result<ContactLink, string> => {
  const fields = fieldsOf(line)
  const chatId = fields[columns.chat] ?? ""
  return parseContactPhone(fields[columns.phone] ?? "").pipe(
    Result.mapError(() => "is not an Iranian mobile number"),
    Result.filterOrFail(
      () => CHAT_ID.test(chatId),
      () => "has no usable chat_id"
    ),
    Result.map((phone) => ({ phone, chatId }))
  )
}

/** Reads CSV with the columns `phone` and `chat_id`, in any order, among others. All or nothing, with all mistakes. */
export const readContacts = (csv: string): Result.Result<ReadonlyArray<ContactLink>, string> => {
  const [header = "", ...lines] = csv.replace(/^\uFEFF/, "").split(/\r?\n/)
  const names = fieldsOf(header).map((name) => name.toLowerCase())
  const columns = { phone: names.indexOf(PHONE_COLUMN), chat: names.indexOf(CHAT_COLUMN) }
  if (columns.phone === -1 || columns.chat === -1) {
    return Result.fail(`the first line has to name the columns ${PHONE_COLUMN} and ${CHAT_COLUMN}`)
  }
  const contacts: Array<ContactLink> = []
  const mistakes: Array<string> = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue
    const contact = readLine(line, columns)
    if (Result.isSuccess(contact)) contacts.push(contact.success)
    else mistakes.push(`line ${index + 2} ${contact.failure}`)
  }
  if (mistakes.length === 0) return Result.succeed(contacts)
  const more = mistakes.length > MAX_TOLD ? [`and ${mistakes.length - MAX_TOLD} more`] : []
  return Result.fail([...mistakes.slice(0, MAX_TOLD), ...more].join("; "))
}
