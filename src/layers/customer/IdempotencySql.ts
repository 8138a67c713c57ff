import type { SqlClient } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { timestamp } from "../postgres/SqlRows.ts"
import type { IdempotencyClaim } from "../../services/customer/Idempotency.ts"

/** The SQL of one operation's idempotency keys, for the statements that create and find their resources. */
export const idempotencyKeys = (sql: SqlClient.SqlClient, operation: string) => ({
  /**
   * If `verdict` has no reason against it: returns one row when the key was free or has lapsed, or there is none; else
   * none, and claims nothing.
   */
  claim: (
    subject: { readonly customerId: number; readonly id: string; readonly createdAt: Instant },
    claim: IdempotencyClaim | null
  ) =>
    claim === null
      ? sql`select true from verdict where reason is null`
      : sql`insert into idempotency_keys as k (customer_id, operation, key, fingerprint, subject, expires_at)
          select ${subject.customerId}::int, ${operation}, ${claim.key}, ${claim.fingerprint}::bytea, ${subject.id}::uuid,
            ${timestamp(claim.expiresAt)}::timestamptz
          from verdict where reason is null
          on conflict (customer_id, operation, key) do update set fingerprint = excluded.fingerprint,
            subject = excluded.subject, expires_at = excluded.expires_at
          where k.expires_at <= ${timestamp(subject.createdAt)}
          returning true`,

  /** A condition on the table aliased `k`: this customer's key, while it is valid. */
  isClaimed: (customerId: number, key: string, now: Instant) =>
    sql`k.customer_id = ${customerId} and k.operation = ${operation} and k.key = ${key}
      and k.expires_at > ${timestamp(now)}`
})
