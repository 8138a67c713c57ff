import { Effect } from "effect"
import { AccountFinding } from "../../../domain/account/AccountFinding.ts"
import { fieldError } from "../../../domain/Errors.ts"
import { type AccountChange, type AccountConnection, type AccountOwner, Accounts } from "./Accounts.ts"
import { auditEntriesOf } from "../ManagementWrites.ts"
import { problem } from "../../../domain/Problem.ts"

/** The audit log's entries of changes to accounts, and to their contacts. */
export const accountEntry = auditEntriesOf("account")
export const contactsEntry = auditEntriesOf("account", "contacts")

/** The audit log's details of a change, by the names of the API's fields; without the settings. */
export const auditedChange = (change: AccountChange) => {
  const { label, settings, isDefault, active, gapMillis, perMinute } = change
  return {
    label,
    ...(settings === undefined ? {} : { settings: "replaced" }),
    default: isDefault,
    active,
    gap_ms: gapMillis,
    per_minute: perMinute
  }
}

/**
 * Asks the provider before an account gets settings. If the provider refuses them, so does Peyk; `way` says how the
 * caller can save them all the same.
 */
export const examineFirst = Effect.fnUntraced(function* (
  owner: AccountOwner,
  account: AccountConnection,
  way: string
) {
  const accounts = yield* Accounts
  const finding = yield* accounts.examine(owner, account)
  if (!AccountFinding.$is("Refused")(finding)) return finding
  return yield* fieldError("settings", problem("provider_refuses", { reason: finding.reason, way }))
})
