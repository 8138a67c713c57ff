import { Effect, Schema, SchemaTransformation } from "effect"
import { HttpServerRequest } from "effect/http"
import { ValidationError } from "../../domain/Errors.ts"
import {
  isIdPosition,
  isTimePosition,
  isUuidPosition,
  type Page,
  type PageRequest,
  DEFAULT_PAGE,
  MAX_PAGE
} from "../../domain/Paging.ts"
import { Phone } from "../../domain/Phone.ts"
import { problem } from "../../domain/Problem.ts"
import { check } from "../../domain/SchemaProblems.ts"
import type { GuardList } from "../../domain/guard/GuardSettings.ts"

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
  alerts: isUuidPosition,
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
  routing_versions: isIdPosition,
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
type ListParent = number | GuardList

const MAX_LENGTH = 500

/** Opaque to callers. */
const encodeCursor = (list: ListName, position: string): string =>
  Buffer.from(`${list}:${position}`).toString("base64url")

/** The position in the list; null if this is no cursor of this list. */
export const decodeCursor = (list: ListName, cursor: string): string | null => {
  if (cursor.length > MAX_LENGTH) return null
  const [name, ...rest] = Buffer.from(cursor, "base64url").toString("utf8").split(":")
  const position = rest.join(":")
  const isCursor = name === list && lists[list](position) && encodeCursor(list, position) === cursor
  return isCursor ? position : null
}

const encodeNestedPosition = (parent: ListParent, position: string | null): string | null =>
  position === null ? null : `${parent}/${position}`

/** The position in the parent's own list; null for one in another parent's. */
export const decodeNestedPosition = (parent: ListParent, position: string): string | null =>
  position.startsWith(`${parent}/`) ? position.slice(`${parent}/`.length) : null

/** Refuses invalid cursors: a caller could change one, or take one of another list. */
const cursorOf = (list: ListName) =>
  Schema.String.check(
    Schema.isMaxLength(MAX_LENGTH),
    check((cursor: string) => decodeCursor(list, cursor) !== null, problem("other_cursor"))
  )

/** The query of a list. */
export const pageQuery = (list: ListName) => ({
  limit: Schema.optionalKey(
    Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: MAX_PAGE }))
  ).annotateKey({ description: `1 to ${MAX_PAGE}, ${DEFAULT_PAGE} if absent.` }),
  cursor: Schema.optionalKey(cursorOf(list)).annotateKey({ description: "next_cursor of the previous page." })
})

/** `{data, next_cursor}` */
export const pageOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({ data: Schema.Array(item), next_cursor: Schema.NullOr(Schema.String) })

export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

export const pageRequest = (list: ListName, query: PageQuery): PageRequest => ({
  limit: query.limit ?? DEFAULT_PAGE,
  after: query.cursor === undefined ? null : decodeCursor(list, query.cursor)
})

export const toWirePage = <A, B>(list: ListName, { items, next }: Page<A>, toWire: (item: A) => B) => ({
  data: items.map(toWire),
  next_cursor: next === null ? null : encodeCursor(list, next)
})

const otherCursor = new ValidationError({
  problems: [{ path: "query.cursor", problem: problem("other_cursor") }]
})

/** A part of the list of one parent. */
export const nestedPageRequest = (
  list: NestedListName,
  parent: ListParent,
  query: PageQuery
): Effect.Effect<PageRequest, ValidationError> => {
  const { limit, after } = pageRequest(list, query)
  if (after === null) return Effect.succeed({ limit, after })
  const position = decodeNestedPosition(parent, after)
  return position === null ? Effect.fail(otherCursor) : Effect.succeed({ limit, after: position })
}

export const toNestedWirePage = <A, B>(
  list: NestedListName,
  parent: ListParent,
  { items, next }: Page<A>,
  toWire: (item: A) => B
) => toWirePage(list, { items, next: encodeNestedPosition(parent, next) }, toWire)

/** A number in a path; an invalid one matches nothing. */
export const PathId = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({
      decode: (text: string) =>
        /^[1-9]\d{0,9}$/.test(text) && Number(text) <= 2_147_483_647 ? Number(text) : 0,
      encode: String
    })
  )
)

const ETAG = /^(?:W\/)?"(\d{1,9})"$/

const badPrecondition = new ValidationError({
  problems: [{ path: "headers.if-match", problem: problem("not_an_etag") }]
})

/** The version in `If-Match`; null if it is absent or accepts any. */
export const expectedVersion = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
  const given = headers["if-match"]
  if (given === undefined || given.trim() === "*") return Effect.succeed(null)
  const version = ETAG.exec(given.trim())?.[1]
  return version === undefined ? Effect.fail(badPrecondition) : Effect.succeed(Number(version))
})

/** The ETag of a body that has a version. */
export const etagOf = (body: unknown): Readonly<Record<string, string>> => {
  const version: unknown = Object(body).version
  return typeof version === "number" ? { etag: `"${version}"` } : {}
}
