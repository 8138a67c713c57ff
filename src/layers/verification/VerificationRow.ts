import { Schema } from "effect"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import { Verification } from "../../domain/verification/Verification.ts"
import type { LoadKind } from "../postgres/batching/LoadBatchSql.ts"
import { InstantColumn, RialsColumn } from "../postgres/SqlRows.ts"

export const VerificationRow = Schema.Struct({
  ...Verification.fields,
  nextStepAt: Schema.NullOr(InstantColumn),
  createdAt: InstantColumn,
  expiresAt: InstantColumn,
  verifiedAt: Schema.NullOr(InstantColumn),
  held: RialsColumn,
  captured: RialsColumn
})

/** The changing part of a verification `c` that an event stores. */
export const VERIFICATION_SNAPSHOT = `jsonb_build_object('status', c.status, 'attempts', c.attempts,
  'next_step_at', c.next_step_at, 'verified_at', c.verified_at)`

/** Columns of `verifications v`. */
export const verificationColumns = `v.id, v.customer_id as "customerId", v.phone, v.status, v.revision, v.route,
  v.text_body as "textBody", v.text_locale as "textLocale", v.metadata, v.attempts, v.remaining, v.next_step_at as "nextStepAt",
  v.slot_reserved as "slotReserved", v.repeating, v.answered_status as "answeredStatus", v.answered_step as "answeredStep",
  v.created_at as "createdAt", v.expires_at as "expiresAt", v.verified_at as "verifiedAt", v.held, v.captured`

/** As `shownAttempts`: those of a row of `verifications` that readers are shown, and that figures count. */
export const SHOWN_ATTEMPTS = `case when status <> 'failed' and attempts @> '[{"attempted_at": null}]'
    then jsonb_path_query_array(attempts, '$[*] ? (@.attempted_at != null)') else attempts end`

const LeasedRow = Schema.Struct({ ...VerificationRow.fields, sealedCode: Schema.NullOr(Schema.Uint8Array) })

const loaded = <Row extends Schema.Decoder<unknown>>(
  mode: KeyMode,
  of: Pick<LoadKind<Row>, "name" | "columns" | "row">
): LoadKind<Row> => ({ ...of, mode, table: "verifications", alias: "v" })

/** One mode's verifications, read for requests. */
export const loadedVerifications = (mode: KeyMode) =>
  loaded(mode, { name: "read", columns: verificationColumns, row: VerificationRow })

/** One mode's verifications with their codes, read for due timers. */
export const dueVerifications = (mode: KeyMode) =>
  loaded(mode, {
    name: "read_due",
    columns: `${verificationColumns}, v.sealed_code as "sealedCode"`,
    row: LeasedRow
  })
