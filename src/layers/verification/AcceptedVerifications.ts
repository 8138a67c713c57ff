import type { KeyMode } from "../../domain/people/Customer.ts"
import type { Route } from "../../domain/routing/Route.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import type { Acceptance } from "../../services/verification/VerificationStore.ts"
import { type AcceptKind, ADMITTED, type OptionalColumns } from "../postgres/batching/AcceptStatement.ts"
import { type BatchColumn, intArrayText, jsonText } from "../postgres/batching/BatchColumns.ts"

/** The names that separate idempotency keys. */
export const OPERATIONS = { live: "otp.send", test: "sandbox.otp.send" }

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

const given: OptionalColumns<Acceptance> = {
  isNeeded: ({ verification: { metadata, textLocale }, client }) =>
    metadata !== null || textLocale !== null || client !== null,
  columns: [
    { name: "metadata", type: "text", of: ({ verification }) => verification.metadata },
    { name: "text_locale", type: "text", of: ({ verification }) => verification.textLocale },
    { name: "client", type: "jsonb", of: ({ client }) => client }
  ]
}

/** Alone, as an attack marks most codes. */
const guarded: OptionalColumns<Acceptance> = {
  isNeeded: ({ guardMark }) => guardMark !== null,
  columns: [{ name: "guard", type: "text", of: ({ guardMark }) => guardMark }]
}

const stores =
  (mode: KeyMode, timerKind: TimerKind) => (optional: ReadonlyArray<BatchColumn<Acceptance>>) => {
    const more = optional.map(({ name }) => `, ${name}`).join("")
    return `
  verification as (
    insert into verifications (customer_id, id, mode, phone, status, revision, route, text_body, attempts,
      remaining, next_step_at, code_hash, sealed_code, created_at, expires_at, held${more})
    select customer_id, id, '${mode}', phone, status, revision, route::jsonb, text_body, '[]', remaining::int[],
      now, code_hash, sealed_code, now, expires_at, hold${more}
    from ${ADMITTED}),
  timer as (
    insert into timers (customer_id, kind, subject, claimable_at, lease_token)
    select customer_id, '${timerKind}', id, lease_until, lease_token from ${ADMITTED})`
  }

/** One mode's verifications, for the statement that accepts a batch of them. */
export const acceptedVerifications = (mode: KeyMode, timerKind: TimerKind): AcceptKind<Acceptance> => ({
  operation: OPERATIONS[mode],
  counts: "code",
  subjectOf: ({ verification }) => verification,
  columns,
  optional: [given, guarded],
  stores: stores(mode, timerKind),
  webhooks: null
})
