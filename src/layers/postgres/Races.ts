import { Effect } from "effect"
import { SqlError } from "effect/sql"

/** A race is lost this often in a row only under far too much load. Then the client has to come again. */
const MAX_RACES = 20

/** Nothing was kept, and the next try may settle it. */
export const isRace = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  (error.reason._tag === "SerializationError" || error.reason._tag === "DeadlockError")

/** Repeats a statement that lost a race, which only another try can settle. */
export const retryRaces = <A, E>(statement: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.retry(statement, { while: isRace, times: MAX_RACES })
