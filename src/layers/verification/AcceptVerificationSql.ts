import type { Effect } from "effect"
import type { KeyMode } from "../../domain/people/Customer.ts"
import type { AdmissionError } from "../../domain/Errors.ts"
import type { SetUpChanged } from "../../services/customer/SetUpChanged.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import type { Acceptance } from "../../services/verification/VerificationStore.ts"
import { OPERATIONS } from "./AcceptedVerifications.ts"
import { type AdmissionRequest, admissionSql, runAdmission } from "./AdmissionSql.ts"
import { idempotencyKeys } from "../customer/IdempotencySql.ts"
import type { TurnTaking } from "../postgres/citus/Turns.ts"
import { timestamp } from "../postgres/SqlRows.ts"

/**
 * Accepts one verification in its own statement, if a batch could not decide because money or quota did not cover all
 * of it. False if the idempotency key is taken.
 */
export const acceptAlone = (
  store: TurnTaking,
  mode: KeyMode,
  timerKind: TimerKind,
  {
    verification: v,
    setUpVersion,
    admission,
    client,
    codeHash,
    sealedCode,
    lease,
    idempotency,
    guardMark
  }: Acceptance
): Effect.Effect<boolean, AdmissionError | SetUpChanged> => {
  const { sql } = store
  const { id, customerId, phone, createdAt: now } = v
  const request: AdmissionRequest = { kind: "code", id, customerId, phone, now, admission, setUpVersion }
  const { verdict, counts, columns } = admissionSql(sql, request)
  const keys = idempotencyKeys(sql, OPERATIONS[mode])
  return runAdmission(
    store,
    request,
    sql`
      with ${verdict}, claimed as (${keys.claim(v, idempotency)}),
      verification as (
        insert into verifications (customer_id, id, mode, phone, status, revision, route, text_body, attempts,
          remaining, next_step_at, code_hash, sealed_code, created_at, expires_at, held, metadata, text_locale, client, guard)
        select ${customerId}::int, ${id}::uuid, ${mode}, ${phone}, ${v.status}, ${v.revision}::int,
          ${JSON.stringify(v.route)}::jsonb, ${v.textBody}::text, '[]'::jsonb, ${v.remaining}::int[],
          ${timestamp(now)}::timestamptz, ${codeHash}::bytea, ${sealedCode}::bytea,
          ${timestamp(now)}::timestamptz, ${timestamp(v.expiresAt)}::timestamptz, ${v.held}::bigint,
          ${v.metadata}::text, ${v.textLocale}::text, ${client === null ? null : JSON.stringify(client)}::jsonb, ${guardMark}::text
        from claimed),
      timer as (
        insert into timers (customer_id, kind, subject, claimable_at, lease_token)
        select ${customerId}::int, ${timerKind}, ${id}::uuid, ${timestamp(lease.until)}::timestamptz,
          ${lease.token}::uuid
        from claimed)
      ${counts}
      select ${columns} from verdict v`
  )
}
