import { Effect } from "effect"
import { type AccountChange, Accounts } from "../../../services/resources/accounts/Accounts.ts"
import { auditEntriesOf } from "../../../services/resources/ManagementWrites.ts"
import { audited } from "../../CommandContext.ts"

export const accountEntry = auditEntriesOf("account")

export const changeAccount = Effect.fnUntraced(function* (
  account: number,
  change: AccountChange,
  details: Readonly<Record<string, unknown>>
) {
  const accounts = yield* Accounts
  const owner = yield* accounts.ownerOf(account)
  return yield* audited(owner, accounts.update(owner, account, change, null), ({ id }) =>
    accountEntry("update", id, details)
  )
})
