import { Schema } from "effect"
import { Verification } from "../../domain/verification/Verification.ts"
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

/** Columns of `verifications v`. */
export const verificationColumns = `v.id, v.customer_id as "customerId", v.phone, v.status, v.revision, v.route,
  v.text_body as "textBody", v.text_locale as "textLocale", v.metadata, v.attempts, v.remaining, v.next_step_at as "nextStepAt",
  v.slot_reserved as "slotReserved", v.repeating, v.answered_status as "answeredStatus", v.answered_step as "answeredStep",
  v.created_at as "createdAt", v.expires_at as "expiresAt", v.verified_at as "verifiedAt", v.held, v.captured`
