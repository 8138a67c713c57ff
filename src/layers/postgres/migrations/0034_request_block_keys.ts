import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // One index instead of two. A table that is distributed by customer needs the customer in its key.
  `alter table request_blocks drop constraint request_blocks_pkey, add primary key (customer_id, id)`,
  `drop index request_blocks_of_customer`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
