import { HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../Instant.ts"

/**
 * A phone is bombed if codes for it come through many customers at once: somebody enters it in all their forms. SQL
 * counts by these numbers too. An index of `schema.sql` has the first one.
 */
export const BOMBED_BY = 5
/** How long a customer that sends to a phone counts. A refused try does not extend it. */
export const CALLERS_MILLIS = 10 * MINUTE_MILLIS
/** No more customers of a phone are kept. */
export const MAX_CALLERS = 16

/** The alarm of a bombed phone lasts as long as its customers count. */
export const BOMBED_ALARM_MILLIS = CALLERS_MILLIS
/** A customer that clears the alarm may send to the phone for so long all the same. */
export const CLEARED_MILLIS = HOUR_MILLIS

/** The customers that sent to a phone, and until when they count. */
export interface Callers {
  readonly customers: ReadonlyArray<number>
  readonly endsAt: Instant
}

/**
 * Until when the phone counts as bombed for this customer: too many customers send to it. Null: it does not.
 *
 * @param most so many bomb it; 0: they are not counted
 */
export const bombedUntil = (
  customerId: number,
  callers: Callers | null,
  most: number,
  now: Instant
): Instant | null => {
  if (most === 0 || callers === null || callers.endsAt <= now) return null
  const isNew = !callers.customers.includes(customerId)
  return callers.customers.length + (isNew ? 1 : 0) >= most ? callers.endsAt : null
}
