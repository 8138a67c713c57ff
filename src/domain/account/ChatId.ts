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
export const areRounded = (chatIds: ReadonlyArray<string>): boolean => {
  const long = chatIds.filter((id) => INTEGER.test(id) && id.replace("-", "").length > KEPT_DIGITS + 1)
  return long.length >= MIN_ROUNDED && long.every((id) => /^0+$/.test(id.replace("-", "").slice(KEPT_DIGITS)))
}
