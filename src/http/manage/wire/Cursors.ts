import { Schema } from "effect"
import type { GuardList } from "../../../domain/guard/GuardSettings.ts"
import { isIdPosition, isTimePosition, isUuidPosition } from "../../../domain/Paging.ts"
import { Phone } from "../../../domain/Phone.ts"
import { problem } from "../../../domain/Problem.ts"
import { check } from "../../../domain/SchemaProblems.ts"

/** A parent's id, a slash, and a position in its list. */
const within =
  (isPosition: (text: string) => boolean) =>
  (text: string): boolean => {
    const [parent = "", ...rest] = text.split("/")
    return /^[1-9]\d{0,9}$/.test(parent) && isPosition(rest.join("/"))
  }

/** A list of the guard's, a slash, and an entry of it. */
const isEntryPosition = (text: string): boolean => /^(?:allow|deny)\/[a-z]+\/.{1,64}$/.test(text)

/** Every list with pages, and the form of its positions. Cursors contain the list's name. */
const lists = {
  accounts: isIdPosition,
  api_keys: isIdPosition,
  audit_log: isTimePosition,
  contacts: within(Schema.is(Phone)),
  deliveries: within(isUuidPosition),
  guard_alarms: isUuidPosition,
  guard_entries: isEntryPosition,
  holds: isTimePosition,
  ledger: isTimePosition,
  messages: isTimePosition,
  otp: isTimePosition,
  sandbox_messages: isTimePosition,
  sandbox_otp: isTimePosition,
  sent_messages: isTimePosition,
  templates: isIdPosition,
  tokens: isIdPosition,
  users: isUuidPosition,
  verifications: isTimePosition,
  webhooks: isIdPosition
} satisfies Readonly<Record<string, (text: string) => boolean>>

export type ListName = keyof typeof lists
/** Lists of which each account or webhook has one, and the guard two: a cursor names it, so that no other takes it. */
export type NestedListName = "contacts" | "deliveries" | "guard_entries"
/** The id of an account or a webhook, or the name of a list of the guard's. */
export type ListParent = number | GuardList

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

export const encodeNestedPosition = (parent: ListParent, position: string | null): string | null =>
  position === null ? null : `${parent}/${position}`

/** The position in the parent's own list; null for one in another parent's. */
export const decodeNestedPosition = (parent: ListParent, position: string): string | null =>
  position.startsWith(`${parent}/`) ? position.slice(`${parent}/`.length) : null

/** Refuses invalid cursors: a caller could change one, or take one of another list. */
export const cursorOf = (list: ListName) =>
  Schema.String.check(
    Schema.isMaxLength(MAX_LENGTH),
    check((cursor: string) => decodeCursor(list, cursor) !== null, problem("other_cursor"))
  )
