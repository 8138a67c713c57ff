import { Schema } from "effect"
import { Instant } from "./Instant.ts"
import type { Page } from "./Paging.ts"
import { UUID } from "./Uuid.ts"
import { KeyMode } from "./customer/Customer.ts"

/** The key of a request, as it may be shown. */
const RequestKey = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  prefix: Schema.String,
  lastFour: Schema.String
})

/** A request with a service key that was answered. It has no body, no code, and no whole phone. */
export const LoggedRequest = Schema.Struct({
  /** Its position in the log; a request id can occur twice, as clients may choose it. */
  id: Schema.String,
  customerId: Schema.Int,
  customerName: Schema.String,
  requestId: Schema.String,
  /** When it was answered. */
  at: Instant,
  micros: Schema.Int,
  /** As in the table of routes: `/v1/otp/{verification_id}`. */
  route: Schema.String,
  method: Schema.String,
  status: Schema.Int,
  code: Schema.NullOr(Schema.String),
  mode: KeyMode,
  /** Null: the key is not there any more. */
  key: Schema.NullOr(RequestKey),
  /** Masked. */
  phone: Schema.NullOr(Schema.String),
  /** The verification or the message that it was about. */
  subjectId: Schema.NullOr(Schema.String)
})
export type LoggedRequest = typeof LoggedRequest.Type

/** A masked phone of the log, as pages show it. */
export const shownPhone = (logged: string): string => logged.replaceAll("*", "•")

/** Requests of one customer that were answered one after the other: they are written and read together. */
export interface RequestBlock {
  readonly customerId: number
  readonly beginsAt: Instant
  readonly endsAt: Instant
  /** Each is the JSON of a `RequestFields`. */
  readonly requests: ReadonlyArray<string>
}

/** A request as a block has it. Arrays are smaller than objects, and every request pays for it. */
export type RequestFields = readonly [
  at: Instant,
  requestId: string,
  route: string,
  method: string,
  status: number,
  code: string | null,
  micros: number,
  keyId: number,
  mode: KeyMode,
  phone: string | null,
  subjectId: string | null
]

const ID = new RegExp(`^(${UUID})\\.(\\d{1,4})$`)

/** The id of a record: its block, and the number within it. */
export const parseRecordId = (id: string): { readonly block: string; readonly number: number } | null => {
  const [, block, number] = ID.exec(id) ?? []
  return block === undefined || number === undefined ? null : { block, number: Number(number) }
}

/** The position in the log, which is read by falling time. */
export interface RequestPosition {
  readonly at: Instant
  readonly block: string
  readonly number: number
}

export const formatRequestPosition = ({ at, block, number }: RequestPosition): string =>
  `${at}_${block}.${number}`

const POSITION = /^(\d{1,13})_(.+)$/

/** Null for the beginning, and for an invalid position. */
export const parseRequestPosition = (text: string | null): RequestPosition | null => {
  const [, at, id = ""] = POSITION.exec(text ?? "") ?? []
  const recordId = parseRecordId(id)
  return at === undefined || recordId === null ? null : { at: Number(at), ...recordId }
}

export const isRequestPosition = (text: string): boolean => parseRequestPosition(text) !== null

/** Negative for a position that comes before the other: the log is read by falling time. */
const comparePositions = (one: RequestPosition, other: RequestPosition): number => {
  if (one.at !== other.at) return other.at - one.at
  if (one.block !== other.block) return one.block < other.block ? 1 : -1
  return other.number - one.number
}

const placed = (request: LoggedRequest) => {
  const { block = "", number = 0 } = parseRecordId(request.id) ?? {}
  return { request, position: { at: request.at, block, number } }
}

/** One page from those of several logs: it ends where the first of them does, because the rest of that log is unread. */
export const mergePages = (pages: ReadonlyArray<Page<LoggedRequest>>, limit: number): Page<LoggedRequest> => {
  const [end] = pages
    .flatMap((page) => {
      const position = parseRequestPosition(page.next)
      return position === null ? [] : [{ page, position }]
    })
    .toSorted((one, other) => comparePositions(one.position, other.position))
  const read = pages
    .flatMap(({ items }) => items.map(placed))
    .filter(({ position }) => end === undefined || comparePositions(position, end.position) <= 0)
    .toSorted((one, other) => comparePositions(one.position, other.position))
  const items = read.slice(0, limit).map(({ request }) => request)
  const last = read[limit - 1]
  if (read.length > limit && last !== undefined) return { items, next: formatRequestPosition(last.position) }
  return end === undefined ? { items, next: null } : { ...end.page, items }
}
