import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { UserRecord } from "../../domain/user/User.ts"
import { InstantColumn } from "../postgres/SqlRows.ts"

export const UserRow = Schema.Struct({
  ...UserRecord.fields,
  createdAt: InstantColumn,
  disabledAt: Schema.NullOr(InstantColumn)
})

/** Columns of table `users`, named `u`. */
export const userColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`u.id, coalesce(u.customer_id, 0) as "customerId", u.email, u.name,
    case u.role when 'operator' then 'owner' else u.role end as role, u.role = 'operator' as "isOperator",
    u.created_at as "createdAt", u.disabled_at as "disabledAt"`)
