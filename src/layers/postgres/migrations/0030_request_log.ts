import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Requests in blocks of one customer: a row for each request would cost each send a twentieth of its time, and a
  // block costs a hundredth. A block fits one page, and is stored there as it is.
  `create table request_blocks (
    id uuid primary key,
    customer_id int not null,
    begins_at timestamptz not null,
    ends_at timestamptz not null,
    requests text not null
  ) with (toast_tuple_target = 8160)`,
  `alter table request_blocks alter column requests set storage external`,
  `create index request_blocks_of_customer on request_blocks (customer_id, id)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
