import type { KeyMode } from "../../domain/people/Customer.ts"
import type { Route } from "../../domain/routing/Route.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import type { Acceptance } from "../../services/verification/VerificationStore.ts"
import { type AcceptKind, ADMITTED } from "../postgres/batching/AcceptStatement.ts"
import { type BatchColumn, intArrayText, jsonText } from "../postgres/batching/BatchColumns.ts"
import { admissionRules } from "./AdmissionRules.ts"

export const SEND_OPERATION = "otp.send"

const routeText = jsonText<Route>()

const columns: ReadonlyArray<BatchColumn<Acceptance>> = [
  { name: "status", type: "text", of: ({ verification }) => verification.status },
  { name: "revision", type: "int4", of: ({ verification }) => verification.revision },
  { name: "route", type: "text", of: ({ verification }) => routeText(verification.route) },
  { name: "text_body", type: "text", of: ({ verification }) => verification.textBody },
  { name: "remaining", type: "text", of: ({ verification }) => intArrayText(verification.remaining) },
  { name: "expires_at", type: "timestamptz", of: ({ verification }) => verification.expiresAt },
  { name: "code_hash", type: "bytea", of: ({ codeHash }) => codeHash },
  { name: "sealed_code", type: "bytea", of: ({ sealedCode }) => sealedCode },
  { name: "lease_until", type: "timestamptz", of: ({ lease }) => lease.until },
  { name: "lease_token", type: "uuid", of: ({ lease }) => lease.token }
]

const extraColumns: ReadonlyArray<BatchColumn<Acceptance>> = [
  { name: "metadata", type: "text", of: ({ verification }) => verification.metadata },
  { name: "text_locale", type: "text", of: ({ verification }) => verification.textLocale },
  { name: "client", type: "text", of: ({ client }) => (client === null ? null : JSON.stringify(client)) },
  { name: "guard", type: "text", of: ({ guardMark }) => guardMark }
]

const stores = (mode: KeyMode, timerKind: TimerKind) => (hasExtras: boolean) =>
  `
  verification as (
    insert into verifications (customer_id, id, mode, phone, status, revision, route, text_body, attempts,
      remaining, next_step_at, code_hash, sealed_code, created_at, expires_at, held
      ${hasExtras ? ", metadata, text_locale, client, guard" : ""})
    select customer_id, id, '${mode}', phone, status, revision, route::jsonb, text_body, '[]', remaining::int[],
      now, code_hash, sealed_code, now, expires_at, hold ${hasExtras ? ", metadata, text_locale, client::jsonb, guard" : ""}
    from ${ADMITTED}),
  timer as (
    insert into timers (customer_id, kind, subject, claimable_at, lease_token)
    select customer_id, '${timerKind}', id, lease_until, lease_token from ${ADMITTED})`

/** One mode's verifications, for the statement that accepts a batch of them. */
export const acceptedVerifications = (mode: KeyMode, timerKind: TimerKind): AcceptKind<Acceptance> => ({
  operation: SEND_OPERATION,
  rules: admissionRules("code"),
  subjectOf: ({ verification }) => verification,
  columns,
  extraColumns,
  hasExtras: ({ verification: { metadata, textLocale }, client, guardMark }) =>
    metadata !== null || textLocale !== null || client !== null || guardMark !== null,
  stores: stores(mode, timerKind),
  webhooks: null
})
