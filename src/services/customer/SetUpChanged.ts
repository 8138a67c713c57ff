import { Data, Effect } from "effect"
import { ServiceUnavailable } from "../../domain/Errors.ts"

/**
 * The request was prepared with a key or a set-up that has changed in the store since. Nothing was written: prepare the
 * request again.
 */
export class SetUpChanged extends Data.TaggedError("SetUpChanged") {}

export const isSetUpChanged = (error: unknown): error is SetUpChanged => error instanceof SetUpChanged

/** How often a request is prepared again before it is given up. */
export const MAX_SET_UP_CHANGES = 10

/** Only a request whose key was read before can meet a set-up that has changed since: its caller reads the key again. */
export type IfKeyed<Request> = "setUpVersion" extends keyof Request ? SetUpChanged : never

/**
 * Repeats a request without a key while its customer's set-up changes, and gives up if that does not end. With a key,
 * the caller reads the key again.
 */
export const withCurrentSetUp = <A, E>(
  setUpVersion: number | undefined,
  request: Effect.Effect<A, E | SetUpChanged>
): Effect.Effect<A, E | SetUpChanged | ServiceUnavailable> =>
  setUpVersion === undefined
    ? request.pipe(
        Effect.retry({ while: isSetUpChanged, times: MAX_SET_UP_CHANGES }),
        Effect.mapError((error) => (isSetUpChanged(error) ? new ServiceUnavailable() : error))
      )
    : request
