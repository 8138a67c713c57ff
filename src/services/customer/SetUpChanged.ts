import { Data, Effect } from "effect"

/**
 * The request was prepared with a key or a set-up that has changed in the store since. Nothing was written: prepare the
 * request again.
 */
export class SetUpChanged extends Data.TaggedError("SetUpChanged") {}

export const isSetUpChanged = (error: unknown): error is SetUpChanged => error instanceof SetUpChanged

/** How often a request is prepared again before it is given up. */
export const MAX_SET_UP_CHANGES = 10

/** Repeats a request without a key while its customer's set-up changes. With a key, the caller reads the key again. */
export const withCurrentSetUp = <A, E>(
  setUpVersion: number | undefined,
  request: Effect.Effect<A, E | SetUpChanged>
): Effect.Effect<A, E | SetUpChanged> =>
  setUpVersion === undefined
    ? Effect.retry(request, { while: isSetUpChanged, times: MAX_SET_UP_CHANGES })
    : request
