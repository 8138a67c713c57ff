import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // In a collation of its own: for finding what is due, never for finding one timer, which a planner that knows nothing of
  // the table yet would read all timers of its kind for.
  `drop index timers_by_kind`,
  `create index timers_by_kind on timers (kind collate "C", claimable_at)`,

  // Nothing looks for these.
  `drop index events_by_subject`,

  // Ids come in the order of time, and are indexed anyway.
  `drop index verifications_by_time`,
  `drop index messages_by_time`,
  `drop index ledger_by_time`,
  `drop index ledger_top_ups`,
  `create index ledger_top_ups on ledger (customer_id, id) where kind = 'top_up'`,
  `drop index verifications_by_phone`,
  `create index verifications_by_phone on verifications (customer_id, phone, id) where mode = 'live'`,
  `drop index messages_by_phone`,
  `create index messages_by_phone on messages (customer_id, phone, id)`,
  // What holds something has a timer too, by which it is found. Columns of an index, and those of its condition, may not
  // change in an update that is to leave the indexes alone, and every send changes what it holds.
  `drop index verifications_holding`,
  `drop index messages_holding`,
  // Room for the next version of each row beside it.
  `alter table verifications set (fillfactor = 50)`,
  `alter table messages set (fillfactor = 50)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
