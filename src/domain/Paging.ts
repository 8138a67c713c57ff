import type { Instant } from "./Instant.ts"
import { isUuid } from "./Uuid.ts"

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
