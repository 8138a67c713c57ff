import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Sums of a customer's sends by half hour, made from the sends when somebody looks: no send writes here.
  `create table activity_slots (
    customer_id int not null,
    starts_at timestamptz not null,
    summed_at timestamptz not null,
    is_open boolean not null,
    figures jsonb not null,
    primary key (customer_id, starts_at)
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
