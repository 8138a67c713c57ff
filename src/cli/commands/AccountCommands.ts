import { Clock, Console, Effect, Record, Schema, Struct } from "effect"
import { Command, Flag } from "effect/cli"
import { operate, withManagement } from "../CommandContext.ts"
import { accountFlag, defaultableFlag, ownerFlags, ownerOf } from "../input/Flags.ts"
import { readSettings, readSomeSettings, settingsFlags } from "../input/SettingsInput.ts"
import { type ActionRefusal, CommandError, refusedAction } from "../output/CommandError.ts"
import { listAll, printMany, printOne } from "../output/Output.ts"
import { describeFinding } from "../server/DoctorAccounts.ts"
import { Name } from "../../domain/Fields.ts"
import { DAY_MILLIS, type Instant } from "../../domain/Instant.ts"
import type { SendingAccount } from "../../domain/customer/Customer.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { toAccount } from "../../http/manage/AccountsApi.ts"
import {
  changeAccount,
  connectAccount,
  type Examined,
  removeAccount,
  rotateInbox,
  setStandby
} from "../../services/account/AccountActions.ts"
import { type AccountRecord, Accounts } from "../../services/account/Accounts.ts"

export const accountFields = (account: AccountRecord, now: Instant) => {
  const { gap_ms, per_minute, cooling_until, ...shown } = toAccount(account)
  return {
    ...Struct.omit(shown, ["needs_contacts", "created_at", "version"]),
    shared: account.shared,
    gap_ms: gap_ms ?? "default",
    per_minute: per_minute ?? "default",
    cooling_until: (account.coolingUntil ?? now) <= now ? null : cooling_until
  }
}

export const printAccount = (account: AccountRecord, extra: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => printOne({ ...accountFields(account, now), ...extra }))

/** The problems of settings say that they are. */
const NAMES_ITSELF = { settings: "" }

/** What refused an account, with the flag that saves it all the same. */
export const refusedAccount =
  (provider: string, missing: string) =>
  (error: ActionRefusal): CommandError => {
    const [first] = error._tag === "validation_error" ? error.problems : []
    if (first?.problem.code !== "provider_refuses") return refusedAction(missing, NAMES_ITSELF)(error)
    const { reason } = first.problem.params
    return new CommandError({
      message: `${provider} refuses the account: ${reason} (save it anyway with --no-check)`
    })
  }

/** Also a warning on standard error: an account that can send nothing looks like one that works. */
const warnUnlessSending = Effect.fnUntraced(function* ({ provider, sendsCodes, sendsTexts }: SendingAccount) {
  if (sendsCodes || sendsTexts) return {}
  const settings = (yield* Accounts).sendingSettings(provider)
  const missing =
    settings == null
      ? `${provider} sends neither codes nor messages over this channel`
      : `it needs ${settings.codes.join(" and ")} in its settings for codes, and ${settings.texts.join(" and ")} for messages`
  const warning = `this account can send nothing: ${missing}`
  yield* Console.error(`warning: ${warning}`)
  return { warning }
})

export const checkFlag = Flag.Boolean("check").pipe(
  Flag.withDescription("Ask the provider first whether the account works (--no-check: do not)"),
  Flag.withDefault(true)
)

export const labelFlag = Flag.String("label").pipe(
  Flag.withDescription("How responses name the account"),
  Flag.withSchema(Name)
)

export const printExamined = Effect.fnUntraced(function* ({ account, finding }: Examined) {
  const check = finding === undefined ? "skipped" : describeFinding(finding)
  yield* printAccount(account, { check, ...(yield* warnUnlessSending(account)) })
})

const connectFlags = {
  ...ownerFlags,
  channel: Flag.Literals("channel", Channel.literals),
  provider: Flag.String("provider").pipe(Flag.withDescription("The provider's name, e.g. simulator")),
  label: labelFlag,
  ...settingsFlags,
  default: Flag.Boolean("default").pipe(
    Flag.withDescription("Make it the channel's default account"),
    Flag.withDefault(false)
  ),
  check: checkFlag
}

export const connectCommand = Command.make(
  "connect",
  connectFlags,
  ({ customer: given, shared, settings: inline, settingsFile, ...flags }) =>
    withManagement(
      Effect.gen(function* () {
        const customer = yield* ownerOf(given, shared)
        const settings = yield* readSettings({ settings: inline, settingsFile })
        const input = { ...flags, settings }
        const connected = operate(connectAccount, { customer, target: undefined, input })
        const refused = refusedAccount(flags.provider, `customer ${customer}`)
        yield* printExamined(yield* Effect.mapError(connected, refused))
      })
    )
).pipe(Command.withDescription("Connect a messenger or SMS account"))

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
