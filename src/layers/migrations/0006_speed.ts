import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // In a collation of its own: for finding what is due, never for finding one timer, which a planner that knows nothing of
  // the table yet would read all timers of its kind for.
  `drop index timers_by_kind`,
  `create index timers_by_kind on timers (kind collate "C", claimable_at)`,

  // Nothing looks for these.
  `drop index events_by_subject`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
