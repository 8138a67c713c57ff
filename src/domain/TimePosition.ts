import { UUID } from "./Uuid.ts"
import { type Instant, MINUTE_MILLIS } from "./Instant.ts"

/** Ids are created with their rows, but not at the same instant, and not by one clock. */
const CLOCKS_DIFFER_MILLIS = MINUTE_MILLIS

/** A UUIDv7 at this instant: earlier rows have a lower id and later rows a higher one, except for clock differences. */
export const idAt = (instant: Instant): string => {
  const hex = Math.max(0, instant).toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** When an id (UUIDv7) was created. */
export const instantOf = (id: string): Instant => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** No row created at that time or later has a lower id. */
export const lowestIdFrom = (instant: Instant): string => idAt(instant - CLOCKS_DIFFER_MILLIS)

/** No row created before that time has this id or a higher one. */
export const lowestIdAfter = (instant: Instant): string => idAt(instant + CLOCKS_DIFFER_MILLIS)

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

/** From the first instant up to the second, which is excluded; a missing one sets no bound. */
export interface TimeRange {
  readonly from?: Instant | undefined
  readonly to?: Instant | undefined
}
