import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Accounts } from "../../../services/resources/accounts/Accounts.ts"
import { audited, withManagement } from "../../CommandContext.ts"
import { accountFlag, noAccount } from "../../input/AccountFlag.ts"
import { describeError } from "../../output/CommandError.ts"
import { printOne } from "../../output/Output.ts"
import { accountEntry } from "./AccountChanges.ts"

export const inboxCommand = Command.make(
  "inbox",
  {
    account: accountFlag,
    rotate: Flag.Boolean("rotate").pipe(
      Flag.withDescription("Create another path; the old one stops working at once"),
      Flag.withDefault(false)
    )
  },
  ({ account, rotate }) =>
    withManagement(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const owner = yield* accounts.ownerOf(account)
        const found = accounts.inboxPath(owner, account, rotate)
        const path = rotate ? audited(owner, found, () => accountEntry("rotate_inbox", account)) : found
        yield* printOne({ account_id: account, path: yield* path })
      }).pipe(Effect.catchTags({ not_found: noAccount(account), conflict: describeError }))
    )
).pipe(Command.withDescription("Show the secret path that an account's updates are posted to"))
