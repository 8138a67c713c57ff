/**
 * Requests that arrive at fixed times, whatever became of those before. A request that finds no free connection waits for
 * one, and the time counts from its arrival: else a service that stalls would be measured by the few requests that it
 * let begin (coordinated omission).
 */
const SECOND_MILLIS = 1000

/** When the nth request arrives, in milliseconds from the start. */
export const arrivalOf = (nth: number, perSecond: number): number => (nth * SECOND_MILLIS) / perSecond

/** How many requests have arrived by then. */
export const arrivedBy = (millis: number, perSecond: number): number =>
  millis < 0 ? 0 : Math.floor((millis * perSecond) / SECOND_MILLIS) + 1

export const totalIn = (seconds: number, perSecond: number): number => Math.round(seconds * perSecond)
