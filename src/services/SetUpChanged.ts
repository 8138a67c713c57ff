import { Data, Effect } from "effect"

/**
 * What a request was prepared with, its key or its customer's set-up, is no longer what the store has. Nothing of the
 * request was done: it is to be prepared again.
 */
export class SetUpChanged extends Data.TaggedError("SetUpChanged") {}

export const isSetUpChanged = (error: unknown): error is SetUpChanged => error instanceof SetUpChanged

/** Nobody changes a set-up so often in a row. */
export const MAX_SET_UP_CHANGES = 10

/** Prepares a request again while its customer's set-up has changed, unless its key is to be read again as well. */
export const withCurrentSetUp = <A, E>(
  setUpVersion: number | undefined,
  request: Effect.Effect<A, E | SetUpChanged>
): Effect.Effect<A, E | SetUpChanged> =>
  setUpVersion === undefined
    ? Effect.retry(request, { while: isSetUpChanged, times: MAX_SET_UP_CHANGES })
    : request
