import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // A customer's due timers beyond its share are parked: outside the index that is read in order of time.
  `alter table timers add column parked boolean not null default false`,
  `drop index timers_by_kind`,
  `create index timers_by_kind on timers (kind collate "C", claimable_at) where not parked`,
  // As a bigint: so that the primary key is never used for this, which leads through all timers of a customer.
  `create index timers_parked on timers (kind collate "C", (customer_id::bigint), claimable_at) where parked`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
