import { type Instant, MINUTE_MILLIS } from "./Instant.ts"
import { isUuid, UUID } from "./Uuid.ts"

/** Items of a page, in the API and on the command line: if none are named, and at most. */
export const DEFAULT_PAGE = 20
export const MAX_PAGE = 100

/** One page of a list. */
export interface PageRequest {
  /** 1–100. */
  readonly limit: number
  /** The position after which the page begins; null: at the beginning. */
  readonly after: string | null
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** Where the next page begins; null: this is the last page. */
  readonly next: string | null
  /** How far back was searched; what is older may have no match. Absent: the next page has items, if there is one. */
  readonly searchedTo?: Instant
}

const ID = /^[1-9]\d{0,9}$/
const MAX_ID = 2_147_483_647

/** Whether a list by number, or by UUID, can have this position. */
export const isIdPosition = (text: string): boolean => ID.test(text) && Number(text) <= MAX_ID
export const isUuidPosition = isUuid

/** The page from one row more than the limit: the extra row only shows that there is another page. */
export const toPage = <A>(rows: ReadonlyArray<A>, limit: number, positionOf: (row: A) => string): Page<A> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? positionOf(last) : null }
}

/** Ids are created with their rows, but not at the same instant, and not by one clock. */
const CLOCKS_DIFFER_MILLIS = MINUTE_MILLIS

/** A UUIDv7 at this instant: earlier rows have a lower id and later rows a higher one, except for clock differences. */
export const idAt = (instant: Instant): string => {
  const hex = Math.max(0, instant).toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** The next higher id; of the highest, the same. */
export const idAfter = (id: string): string => {
  const next = BigInt(`0x${id.replaceAll("-", "")}`) + 1n
  const hex = next.toString(16).padStart(32, "0")
  if (hex.length > 32) return id
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}

/** When an id (UUIDv7) was created. */
export const instantOf = (id: string): Instant => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** No row created at that time or later has a lower id. */
export const lowestIdFrom = (instant: Instant): string => idAt(instant - CLOCKS_DIFFER_MILLIS)

/** No row created before that time has this id or a higher one. */
export const lowestIdAfter = (instant: Instant): string => idAt(instant + CLOCKS_DIFFER_MILLIS)

/** Bounds of the ids of a list that has none: with a bound, a plan for any values reads along the index. */
export const LOWEST_ID = "00000000-0000-0000-0000-000000000000"
export const HIGHEST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/** The position in a list by falling time, and by falling id within it. */
export interface TimePosition {
  readonly at: Instant
  readonly id: string
}

export const formatTimePosition = ({ at, id }: TimePosition): string => `${at}_${id}`

const POSITION = new RegExp(`^(\\d{1,13})_(${UUID})$`)

/** Null for the beginning, and for an invalid position. */
export const parseTimePosition = (text: string | null): TimePosition | null => {
  const [, at, id] = POSITION.exec(text ?? "") ?? []
  return at === undefined || id === undefined ? null : { at: Number(at), id }
}

export const isTimePosition = (text: string): boolean => parseTimePosition(text) !== null

/** A part of time; `to` is beyond it. */
export interface TimeSpan {
  readonly from: Instant
  readonly to: Instant
}

/** The order of a list by time. */
export interface Ordered {
  /** The newest first if absent. */
  readonly order?: "oldest" | undefined
}

/** From the first instant up to the second, which is excluded; a missing one sets no bound. */
export interface TimeRange {
  readonly from?: Instant | undefined
  readonly to?: Instant | undefined
}
