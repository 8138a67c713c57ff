import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const CHANGES = "update of plan, webotp_host, limits, brand, locale"

const statements = [
  // The customer's data as its original text, the language of a default text, and hashes of the client. Most rows
  // have none of them.
  `alter table verifications
    add column metadata text,
    add column text_locale text,
    add column client jsonb`,
  `alter table customers
    add column brand text,
    add column locale text not null default 'fa' check (locale in ('fa', 'en'))`,
  `drop trigger announce on customers`,
  `create trigger announce after ${CHANGES} on customers
    for each row execute function announce_customer_change('id')`,
  `drop trigger count_set_up_change on customers`,
  `create constraint trigger count_set_up_change after ${CHANGES} on customers
    deferrable initially deferred for each row execute function count_set_up_change('id')`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
