import { Schema } from "effect"
import { isIdPosition, isUuidPosition } from "../../../domain/Paging.ts"
import { Phone } from "../../../domain/Phone.ts"
import { isTimePosition } from "../../../domain/TimePosition.ts"

/** Every list with pages, and the form of its positions. Cursors contain the list's name. */
const lists = {
  accounts: isIdPosition,
  api_keys: isIdPosition,
  audit_log: isTimePosition,
  contacts: Schema.is(Phone),
  deliveries: isUuidPosition,
  holds: isTimePosition,
  ledger: isTimePosition,
  messages: isTimePosition,
  otp: isTimePosition,
  sandbox_otp: isTimePosition,
  sent_messages: isTimePosition,
  templates: isIdPosition,
  tokens: isIdPosition,
  users: isUuidPosition,
  verifications: isTimePosition,
  webhooks: isIdPosition
} satisfies Readonly<Record<string, (text: string) => boolean>>

export type ListName = keyof typeof lists

const MAX_LENGTH = 500

/** Opaque to callers. */
export const encodeCursor = (list: ListName, position: string): string =>
  Buffer.from(`${list}:${position}`).toString("base64url")

/** The position in the list; null if this is no cursor of this list. */
export const decodeCursor = (list: ListName, cursor: string): string | null => {
  if (cursor.length > MAX_LENGTH) return null
  const [name, ...rest] = Buffer.from(cursor, "base64url").toString("utf8").split(":")
  const position = rest.join(":")
  const isCursor = name === list && lists[list](position) && encodeCursor(list, position) === cursor
  return isCursor ? position : null
}

/** Refuses invalid cursors: a caller could change one, or take one of another list. */
export const cursorOf = (list: ListName) =>
  Schema.String.check(
    Schema.isMaxLength(MAX_LENGTH),
    Schema.makeFilter(
      (cursor: string) => decodeCursor(list, cursor) !== null || "Expected a next_cursor of this list"
    )
  )
