/** The ids for one row of a batch: no transition has as many events. */
const IDS_OF_ROW = 8
const DIGITS = 3

/**
 * An id for the `place`th thing that the `row`th of a batch writes, from one that was drawn for all of it: a draw for
 * each costs microseconds. The last digits count up, so they are in the batch's order.
 */
export const batchId = (drawn: string, row: number, place: number): string =>
  drawn.slice(0, -DIGITS) + (row * IDS_OF_ROW + place).toString(16).padStart(DIGITS, "0")
