import type { Instant } from "./Instant.ts"

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

/** From the first instant up to the second, which is not part of it; what is left out does not bound it. */
export interface TimeRange {
  readonly from?: Instant | undefined
  readonly to?: Instant | undefined
}
