import type { Instant } from "./Instant.ts"

/** Ids are made with the rows they are of, but not in the same instant, and not by one clock. */
const CLOCKS_DIFFER_MILLIS = 60_000

/** UUIDv7 that no row made before `instant` has one after, and none made after it one before, but for the clocks. */
export const idAt = (instant: Instant): string => {
  const hex = Math.max(0, instant).toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** When an id (UUIDv7) was made. */
export const instantOf = (id: string): Instant => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** No row made at that time or later has a lower id. */
export const lowestIdFrom = (instant: Instant): string => idAt(instant - CLOCKS_DIFFER_MILLIS)

/** No row made before that time has this id or a higher one. */
export const lowestIdAfter = (instant: Instant): string => idAt(instant + CLOCKS_DIFFER_MILLIS)

/** Where a list by falling time, and by falling id within it, has come to. */
export interface TimePosition {
  readonly at: Instant
  readonly id: string
}

export const formatTimePosition = ({ at, id }: TimePosition): string => `${at}_${id}`

const POSITION = /^(\d{1,13})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Null for the beginning, and for whatever is no position. */
export const parseTimePosition = (text: string | null): TimePosition | null => {
  const [, at, id] = POSITION.exec(text ?? "") ?? []
  return at === undefined || id === undefined ? null : { at: Number(at), id }
}

export const isTimePosition = (text: string): boolean => parseTimePosition(text) !== null

/** From the first instant up to the second, which is not part of it; what is left out does not bound it. */
export interface TimeRange {
  readonly from?: Instant | undefined
  readonly to?: Instant | undefined
}
