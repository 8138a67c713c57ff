import type { SqlClient } from "effect/sql"

/** Whether the customer verified the phone of its code `v` before that code. */
export const isProven = (sql: SqlClient.SqlClient, customerId: number) => sql`exists (
  select from verifications p where p.customer_id = ${customerId}::int and p.phone = v.phone and p.id < v.id
    and p.mode = 'live' and p.status = 'verified' and p.verified_at > v.created_at - interval '90 days')`
