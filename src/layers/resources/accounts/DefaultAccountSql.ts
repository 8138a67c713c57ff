import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountOwner } from "../../../services/resources/accounts/Accounts.ts"
import { isOwnedBy } from "./AccountRows.ts"

/** @param other the account that becomes the default; null: one that is about to be inserted */
export const clearDefault = (
  sql: SqlClient.SqlClient,
  owner: AccountOwner,
  channel: string,
  other: number | null
) =>
  Effect.orDie(sql`
    update sending_accounts a set is_default = false
    where ${isOwnedBy(sql, owner)} and a.channel = ${channel} and a.is_default
      and a.id is distinct from ${other}::int`)
