import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { wakeInbox } from "./AccountInboxesSql.ts"

export const disableAccount = (sql: SqlClient.SqlClient, id: number, now: Date) =>
  Effect.orDie(sql`update sending_accounts set disabled_at = coalesce(disabled_at, ${now}) where id = ${id}`)

/** An account that is enabled again starts without earlier failures. */
export const enableAccount = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, id: number, now: Date) {
  yield* Effect.orDie(sql`
    with pace as (
      update account_pace set failures = 0, cooldowns = 0, cooling_until = null, text_failures = 0,
        text_cooldowns = 0, texts_cooling_until = null
      where account_id = ${id})
    update sending_accounts set disabled_at = null where id = ${id}`)
  yield* wakeInbox(sql, id, now)
})
