import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // A stored response can contain a secret, so it is repeated only for the token or user that made the request.
  // Responses from before have no maker, and are never repeated.
  `alter table management_answers add column actor_kind text, add column actor_id text, add column session_id uuid`,
  // A saved routing order can name templates: their changes remove it from caches.
  `create trigger announce after update or delete on templates
    for each row execute function announce_customer_change('customer_id')`,
  `create constraint trigger count_set_up_change after update or delete on templates
    deferrable initially deferred for each row execute function count_set_up_change('customer_id')`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
