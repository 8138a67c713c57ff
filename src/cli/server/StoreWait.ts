import { type Cause, Effect } from "effect"
import { isTemporary, withReason } from "../../layers/postgres/StoreAvailability.ts"
import { StartupError } from "../../layers/system/StartupError.ts"
import { SqlError } from "effect/sql"

const FIRST_PAUSE_MILLIS = 1000
const MAX_PAUSE_MILLIS = 15_000

const reasonOf = (error: unknown): string | undefined => {
  if (error instanceof StartupError) return error.isTemporary === true ? error.message : undefined
  return SqlError.isSqlError(error) && isTemporary(error)
    ? `PostgreSQL cannot work now: ${withReason(error)}`
    : undefined
}

/** Why the start failed, if only time helps. */
const temporaryReason = ({ reasons }: Cause.Cause<unknown>): string | undefined => {
  for (const reason of reasons) {
    if (reason._tag === "Interrupt") continue
    const found = reasonOf(reason._tag === "Die" ? reason.defect : reason.error)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Begins again while PostgreSQL is there and cannot work yet: it starts, has no connection left, or does not respond.
 * The wait begins after everything that the failed start had opened is closed.
 */
export const whenStoreWorks = <A, E, R>(
  start: Effect.Effect<A, E, R>,
  pauseMillis = FIRST_PAUSE_MILLIS
): Effect.Effect<A, E, R> =>
  Effect.catchCause(start, (cause) => {
    const reason = temporaryReason(cause)
    if (reason === undefined) return Effect.failCause(cause)
    return Effect.logWarning(
      `${reason.replace(/\s*\n\s*/g, " ")}; trying again in ${pauseMillis / 1000} s`
    ).pipe(
      Effect.andThen(Effect.sleep(pauseMillis)),
      Effect.andThen(Effect.suspend(() => whenStoreWorks(start, Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS))))
    )
  })
