import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Operators are people of no customer.
  `alter table users alter column customer_id drop not null`,
  `alter table users drop constraint users_role_check`,
  `alter table users add constraint users_role_check
    check (role in ('owner', 'developer', 'viewer', 'operator'))`,
  // The customer whose console an operator looks at.
  `alter table console_sessions add column customer_id int references customers`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
