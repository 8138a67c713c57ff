import { Effect } from "effect"
import { NotFound, PreconditionFailed } from "../../domain/Errors.ts"

/**
 * Why an update by version changed nothing: there is no such row, or it has another version.
 *
 * @param current the row as it is
 */
export const notUpdated = (
  current: { readonly version: number } | undefined
): Effect.Effect<never, NotFound | PreconditionFailed> =>
  current === undefined
    ? Effect.fail(new NotFound())
    : Effect.fail(new PreconditionFailed({ details: { version: current.version } }))
