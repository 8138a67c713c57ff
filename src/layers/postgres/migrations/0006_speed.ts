import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // With its own collation: it finds due timers, but never one timer. A planner that does not know the table yet
  // would read all timers of its kind for that.
  `drop index timers_by_kind`,
  `create index timers_by_kind on timers (kind collate "C", claimable_at)`,

  // No query uses these.
  `drop index events_by_subject`,

  // Ids are in the order of time, and are indexed anyway.
  `drop index verifications_by_time`,
  `drop index messages_by_time`,
  `drop index ledger_by_time`,
  `drop index ledger_top_ups`,
  `create index ledger_top_ups on ledger (customer_id, id) where kind = 'top_up'`,
  `drop index verifications_by_phone`,
  `create index verifications_by_phone on verifications (customer_id, phone, id) where mode = 'live'`,
  `drop index messages_by_phone`,
  `create index messages_by_phone on messages (customer_id, phone, id)`,
  // A record that holds money has a timer too, by which it is found. An update leaves the indexes alone only if it
  // changes no column of an index or of its condition, and every send changes what it holds.
  `drop index verifications_holding`,
  `drop index messages_holding`,
  // Free space for the next version of each row in the same page.
  `alter table verifications set (fillfactor = 50)`,
  `alter table messages set (fillfactor = 50)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
