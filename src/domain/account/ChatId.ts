import type { Channel } from "../routing/Channel.ts"

/** On any platform. */
export const CHAT_ID = /^[\x21-\x7e]{1,128}$/
const INTEGER = /^-?\d+$/
/** What spreadsheets write for an id that they took for a number, and for a formula that failed. */
const REWRITTEN = /^(?:[-+]?\d[\d.,]*(?:e[-+]?\d+)?|true|false|null|none|nan|#.*)$/i

/** Whether a spreadsheet has made this of an id. */
export const isRewritten = (text: string): boolean => REWRITTEN.test(text) && !INTEGER.test(text)

/** 64 bits, and never zero. Groups are below zero. */
const BOT_API_ID = /^-?[1-9]\d{0,18}$/

/** Why a text in a file cannot be the id of a chat on this channel; null: it can. */
export const chatIdProblem = (text: string, channel: Channel): string | null => {
  if (CHAT_ID.test(text) && isRewritten(text)) return "has a chat_id that a spreadsheet has rewritten"
  const isOfChannel = channel === "rubika" ? CHAT_ID.test(text) : BOT_API_ID.test(text)
  return isOfChannel ? null : "has no usable chat_id"
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
