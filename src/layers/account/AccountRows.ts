import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { SendingAccount } from "../../domain/customer/Customer.ts"
import { AttemptErrorCode, attemptErrors } from "../../domain/provider/ProviderOutcome.ts"
import { InstantColumn, rowsOf } from "../postgres/SqlRows.ts"
import type { AccountOwner, AccountRecord } from "../../services/account/Accounts.ts"

const AccountRow = Schema.Struct({
  ...SendingAccount.fields,
  gapMillis: Schema.NullOr(Schema.Int),
  perMinute: Schema.NullOr(Schema.Int),
  failures: Schema.Int,
  coolingUntil: Schema.NullOr(InstantColumn),
  errorCode: Schema.NullOr(AttemptErrorCode),
  errorMessage: Schema.NullOr(Schema.String),
  errorAt: Schema.NullOr(InstantColumn),
  createdAt: InstantColumn,
  version: Schema.Int
})

const toRecord = ({
  errorCode,
  errorMessage,
  errorAt,
  ...account
}: typeof AccountRow.Type): AccountRecord => ({
  ...account,
  lastError:
    errorCode === null || errorAt === null
      ? null
      : { code: errorCode, message: errorMessage ?? attemptErrors[errorCode], at: errorAt }
})

const readRows = rowsOf(AccountRow)
export const accountRows = (statement: Parameters<typeof readRows>[0]) =>
  Effect.map(readRows(statement), (rows) => rows.map(toRecord))

/** The columns of table `sending_accounts`, named `a`. */
export const isOwnedBy = (sql: SqlClient.SqlClient, owner: AccountOwner) =>
  owner === null ? sql`a.customer_id is null` : sql`a.customer_id = ${owner}`

/** Accounts with their pace. */
export const selectAccounts = (sql: SqlClient.SqlClient) => sql`
  select a.id, a.channel, a.provider, a.label, a.is_default as "isDefault", a.disabled_at is null as active,
    a.customer_id is null as shared, a.sends_codes as "sendsCodes", a.sends_texts as "sendsTexts",
    a.deduplicates as "deduplicatesCodes", a.deduplicates_texts as "deduplicatesTexts",
    a.reports_delivery as "reportsDelivery", a.needs_contact as "needsContact", a.standby, a.gap_ms as "gapMillis",
    a.rate_per_minute as "perMinute", greatest(p.failures, p.text_failures) as failures,
    greatest(p.cooling_until, p.texts_cooling_until) as "coolingUntil",
    case when k.checked_at > coalesce(e.happened_at, '-infinity') then 'provider_misconfigured' else e.code end
      as "errorCode",
    case when k.checked_at > coalesce(e.happened_at, '-infinity') then k.detail else e.message end as "errorMessage",
    greatest(k.checked_at, e.happened_at) as "errorAt", a.created_at as "createdAt", a.version
  from sending_accounts a join account_pace p on p.account_id = a.id
    left join account_errors e on e.account_id = a.id
    left join account_checks k on k.account_id = a.id and k.result = 'refused'`

export const findAccount = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (owner: AccountOwner, id: number) {
    const [row] = yield* accountRows(
      sql`${selectAccounts(sql)} where ${isOwnedBy(sql, owner)} and a.id = ${id}`
    )
    return row ?? (yield* new NotFound())
  })
