import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // What one customer has due beyond its share is parked: out of the way of those who read what is due in the order of time.
  `alter table timers add column parked boolean not null default false`,
  `drop index timers_by_kind`,
  `create index timers_by_kind on timers (kind collate "C", claimable_at) where not parked`,
  // As a bigint: so that the primary key is never taken for this, which leads through all timers of a customer.
  `create index timers_parked on timers (kind collate "C", (customer_id::bigint), claimable_at) where parked`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
