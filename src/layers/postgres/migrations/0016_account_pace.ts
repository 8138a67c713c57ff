import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Some providers send codes and texts by different means: then failures of texts and of codes are counted separately.
  `alter table sending_accounts add column rests_by_kind boolean not null default false`,
  `update sending_accounts set rests_by_kind = true where provider = 'smsir'`,
  `alter table account_pace add column text_failures int not null default 0,
    add column text_cooldowns int not null default 0, add column texts_cooling_until timestamptz`,
  // No call of the account starts before this: slots are planned starts, and some calls start late.
  `alter table account_pace add column next_start_at timestamptz`,
  `drop trigger announce on account_pace`,
  `create trigger announce
    after update of failures, cooldowns, cooling_until, text_failures, text_cooldowns, texts_cooling_until on account_pace
    for each row when (old.cooling_until is distinct from new.cooling_until
      or old.texts_cooling_until is distinct from new.texts_cooling_until
      or (old.failures > 0 or old.cooldowns > 0) <> (new.failures > 0 or new.cooldowns > 0)
      or (old.text_failures > 0 or old.text_cooldowns > 0) <> (new.text_failures > 0 or new.text_cooldowns > 0))
    execute function announce_account()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
