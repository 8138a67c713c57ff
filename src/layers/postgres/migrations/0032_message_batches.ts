import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The response to a batch of messages, for a repetition: one key stands for many messages. The other operations have
  // none. As text, because jsonb would change the order of fields.
  `alter table idempotency_keys add column answer json`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
