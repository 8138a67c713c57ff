import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // An answer may hold a secret: it is repeated only for whoever made the request. Answers from before have no maker,
  // and are repeated for nobody.
  `alter table management_answers add column actor_kind text, add column actor_id text, add column session_id uuid`,
  // A saved routing order may name templates: what is remembered of it ends with their changes.
  `create trigger announce after update or delete on templates
    for each row execute function announce_customer_change('customer_id')`,
  `create constraint trigger count_set_up_change after update or delete on templates
    deferrable initially deferred for each row execute function count_set_up_change('customer_id')`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
