import { Clock, Effect, Record, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { DAY_MILLIS } from "../../domain/Instant.ts"
import {
  changeAccount,
  removeAccount,
  rotateInbox,
  setStandby
} from "../../services/account/AccountActions.ts"
import { Accounts } from "../../services/account/Accounts.ts"
import { operate, withManagement } from "../CommandContext.ts"
import { accountFlag } from "../input/AccountFlag.ts"
import { defaultableFlag } from "../input/DefaultableFlag.ts"
import { readSomeSettings, settingsFlags } from "../input/SettingsInput.ts"
import { refusedAction } from "../output/CommandError.ts"
import { printMany, printOne } from "../output/Output.ts"
import { listAll } from "../output/Pages.ts"
import { accountFields, printAccount } from "./account/AccountOutput.ts"
import { ownerFlags, ownerOf } from "./account/AccountOwner.ts"
import {
  checkFlag,
  connectCommand,
  labelFlag,
  printExamined,
  refusedAccount
} from "./account/ConnectCommand.ts"

/** Whose account this is, and the account. */
const ofAccount = (account: number) =>
  Effect.map(
    Accounts.use((accounts) => accounts.ownerOf(account)),
    (customer) => ({ customer, target: account })
  )

const found = (account: number) =>
  Effect.flatMap(ofAccount(account), ({ customer }) =>
    Accounts.use((accounts) => accounts.find(customer, account))
  )

const changed = (account: number, input: object) =>
  Effect.flatMap(ofAccount(account), (of) => operate(changeAccount, { ...of, input }))

const refused = (account: number) => refusedAction(`account ${account}`)

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

const paceFlag = (name: string, description: string, maximum: number) =>
  Flag.optional(defaultableFlag(name, `${description}; or default`, { minimum: 0, maximum }))

const paceFlags = {
  gap_ms: paceFlag("gap-ms", "Least time between two sends (0: none)", DAY_MILLIS),
  per_minute: paceFlag("per-minute", "Sends in any minute (0: no limit)", 100_000)
}

const limits = Command.make("limits", { account: accountFlag, ...paceFlags }, ({ account, ...pace }) =>
  withManagement(
    Effect.gen(function* () {
      const input = Record.getSomes(pace)
      const record = Record.isEmptyRecord(input)
        ? found(account)
        : Effect.map(changed(account, input), (saved) => saved.account)
      yield* printAccount(yield* record)
    }).pipe(Effect.mapError(refused(account)))
  )
).pipe(Command.withDescription("Show or override how fast an account sends"))

const update = Command.make(
  "update",
  {
    account: accountFlag,
    label: Flag.optional(labelFlag),
    ...settingsFlags,
    check: checkFlag,
    default: Flag.Boolean("default").pipe(
      Flag.withDescription("Make it the channel's default account (--no-default: no longer)"),
      Flag.optional
    ),
    ...paceFlags
  },
  ({ account, settings: inline, settingsFile, check, ...given }) =>
    withManagement(
      Effect.gen(function* () {
        const settings = yield* readSomeSettings({ settings: inline, settingsFile })
        const { provider } = yield* Effect.mapError(found(account), refused(account))
        const saved = yield* Effect.mapError(
          changed(account, { ...Record.getSomes<string, unknown>(given), settings, check }),
          refusedAccount(provider, `account ${account}`)
        )
        yield* settings === null ? printAccount(saved.account) : printExamined(saved)
      })
    )
).pipe(
  Command.withDescription("Change an account's label, settings, default or pace; settings replace all others")
)

const ids = Schema.String.check(
  Schema.isPattern(/^(\d{1,9}(,\d{1,9})*)?$/, { message: "account ids, separated by commas" })
)

const standby = Command.make(
  "standby",
  {
    account: accountFlag,
    by: Flag.String("by").pipe(
      Flag.withDescription('Accounts of its channel, in order, e.g. 7,8; "" removes them'),
      Flag.withSchema(ids)
    )
  },
  ({ account, by }) => {
    const account_ids = by === "" ? [] : by.split(",").map(Number)
    return withManagement(
      ofAccount(account).pipe(
        Effect.flatMap((of) => operate(setStandby, { ...of, input: { account_ids } })),
        Effect.mapError(refusedAction(`account ${account}`, { account_ids: "by" })),
        Effect.flatMap((saved) => printAccount(saved))
      )
    )
  }
).pipe(Command.withDescription("Set the accounts that take over with a code when one cannot send it"))

const inbox = Command.make(
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
      ofAccount(account).pipe(
        Effect.flatMap((of) =>
          rotate
            ? Effect.map(operate(rotateInbox, of), ({ path }) => path)
            : Accounts.use((accounts) => accounts.inboxPath(of.customer, account, false))
        ),
        Effect.mapError(refused(account)),
        Effect.flatMap((path) => printOne({ account_id: account, path }))
      )
    )
).pipe(Command.withDescription("Show the secret path that an account's updates are posted to"))

const setActive = (name: string, active: boolean, description: string) =>
  Command.make(name, { account: accountFlag }, ({ account }) =>
    withManagement(
      changed(account, { active }).pipe(
        Effect.mapError(refused(account)),
        Effect.flatMap((saved) => printAccount(saved.account))
      )
    )
  ).pipe(Command.withDescription(description))

const remove = Command.make("delete", { account: accountFlag }, ({ account }) =>
  withManagement(
    ofAccount(account).pipe(
      Effect.flatMap((of) => operate(removeAccount, of)),
      Effect.mapError(refused(account)),
      Effect.andThen(printOne({ credential_id: account, deleted: true }))
    )
  )
).pipe(Command.withDescription("Delete an account that nothing needs, with its contacts"))

export const accountCommand = Command.make("account").pipe(
  Command.withSubcommands([
    connectCommand,
    list,
    update,
    limits,
    standby,
    inbox,
    setActive("disable", false, "Stop sending with an account"),
    setActive("enable", true, "Send with an account again"),
    remove
  ])
)
