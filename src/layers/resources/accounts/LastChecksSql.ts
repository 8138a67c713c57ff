import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { type AccountFinding, checkResultOf } from "../../../domain/account/AccountState.ts"
import { timestamp } from "../../postgres/SqlRows.ts"

/** Stores the result of a check in place of the last one. A credit that it does not report stays as it was. */
export const noteCheck = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  accountId: number,
  finding: AccountFinding
) {
  const { result, detail } = checkResultOf(finding)
  const credit = finding._tag === "CannotBeChecked" ? null : finding.credit
  const now = timestamp(yield* Clock.currentTimeMillis)
  yield* Effect.orDie(sql`
    insert into account_checks (account_id, checked_at, result, detail, credit)
    values (${accountId}, ${now}, ${result}, ${detail}::text, ${credit}::double precision)
    on conflict (account_id) do update set checked_at = excluded.checked_at, result = excluded.result,
      detail = excluded.detail, credit = coalesce(excluded.credit, account_checks.credit)`)
})

/** An earlier result does not apply to settings that were not checked. */
export const forgetCheck = (sql: SqlClient.SqlClient, accountId: number) =>
  Effect.orDie(sql`delete from account_checks where account_id = ${accountId}`)
