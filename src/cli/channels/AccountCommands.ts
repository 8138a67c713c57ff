import { Clock, Effect } from "effect"
import { Command } from "effect/cli"
import { Accounts } from "../../services/resources/accounts/Accounts.ts"
import { audited, withManagement } from "../CommandContext.ts"
import { accountFlag, noAccount } from "../input/AccountFlag.ts"
import { describeError } from "../output/CommandError.ts"
import { printMany, printOne } from "../output/Output.ts"
import { listAll } from "../output/Pages.ts"
import { accountEntry, changeAccount } from "./account/AccountChanges.ts"
import { accountFields, printAccount } from "./account/AccountOutput.ts"
import { ownerFlags, ownerOf } from "./account/AccountOwner.ts"
import { connectCommand } from "./account/ConnectCommand.ts"
import { inboxCommand } from "./account/InboxCommand.ts"
import { limitsCommand } from "./account/LimitsCommand.ts"
import { standbyCommand } from "./account/StandbyCommand.ts"

const list = Command.make("list", ownerFlags, ({ customer, shared }) =>
  withManagement(
    Effect.gen(function* () {
      const owner = yield* ownerOf(customer, shared)
      const { list: page } = yield* Accounts
      const accounts = yield* listAll((part) => page(owner, part))
      const now = yield* Clock.currentTimeMillis
      yield* printMany(accounts.map((account) => accountFields(account, now)))
    })
  )
).pipe(Command.withDescription("List connected accounts"))

const setActive = (name: string, active: boolean, description: string) =>
  Command.make(name, { account: accountFlag }, ({ account }) =>
    withManagement(
      changeAccount(account, { active }, { active }).pipe(
        Effect.flatMap((record) => printAccount(record)),
        Effect.mapError(noAccount(account))
      )
    )
  ).pipe(Command.withDescription(description))

const remove = Command.make("delete", { account: accountFlag }, ({ account }) =>
  withManagement(
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const owner = yield* accounts.ownerOf(account)
      yield* audited(owner, accounts.remove(owner, account, null), () => accountEntry("remove", account))
      yield* printOne({ credential_id: account, deleted: true })
    }).pipe(
      Effect.catchTags({
        not_found: noAccount(account),
        conflict: describeError,
        precondition_failed: Effect.die
      })
    )
  )
).pipe(Command.withDescription("Delete an account that nothing needs, with its contacts"))

export const accountCommand = Command.make("account").pipe(
  Command.withSubcommands([
    connectCommand,
    list,
    limitsCommand,
    standbyCommand,
    inboxCommand,
    setActive("disable", false, "Stop sending with an account"),
    setActive("enable", true, "Send with an account again"),
    remove
  ])
)
