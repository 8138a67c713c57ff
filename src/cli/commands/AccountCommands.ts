import { Clock, Console, Effect, Option, Record, Schema, Struct } from "effect"
import { Command, Flag } from "effect/cli"
import { actionCommand, asInput, oneOf, printAll, type Subject } from "../ActionCommand.ts"
import { operate, withManagement } from "../CommandContext.ts"
import {
  accountFlag,
  defaultableFlag,
  ownerFlags,
  ownerOf,
  optionalText,
  switchFlag
} from "../input/Flags.ts"
import {
  readSettings,
  readSettingsChange,
  readSomeSettings,
  settingsChangeFlags,
  settingsFlags
} from "../input/SettingsInput.ts"
import { type ActionRefusal, CommandError, refusedAction } from "../output/CommandError.ts"
import { printOne } from "../output/Output.ts"
import { describeFinding, describeOutcome } from "../server/DoctorAccounts.ts"
import { Name } from "../../domain/Fields.ts"
import { DAY_MILLIS, type Instant } from "../../domain/Instant.ts"
import { AccountFinding, whySendsNothing } from "../../domain/account/AccountState.ts"
import type { SendingAccount } from "../../domain/customer/Customer.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { parsePhone } from "../../domain/Phone.ts"
import { toAccount } from "../../http/manage/AccountsApi.ts"
import {
  type AccountRecord,
  Accounts,
  changeAccount,
  connectAccount,
  type Examined,
  removeAccount,
  rotateInbox,
  setStandby
} from "../../services/account/Accounts.ts"

const accountFields = (account: AccountRecord, now: Instant) => {
  const { gap_ms, per_minute, cooling_until, ...shown } = toAccount(account)
  return {
    ...Struct.omit(shown, ["needs_contacts", "created_at", "version"]),
    shared: account.shared,
    gap_ms: gap_ms ?? "default",
    per_minute: per_minute ?? "default",
    cooling_until: (account.coolingUntil ?? now) <= now ? null : cooling_until
  }
}

const printAccount = (account: AccountRecord, extra: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => printOne({ ...accountFields(account, now), ...extra }))

/** The problems of settings say that they are. */
const NAMES_ITSELF = { settings: "", settings_change: "change-settings" }

/** What refused an account, with the flag that saves it all the same. */
const refusedAccount =
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
  const why = whySendsNothing((yield* Accounts).sendingSettings(provider))
  const warning = `this account can send nothing: ${why}`
  yield* Console.error(`warning: ${warning}`)
  return { warning }
})

const checkFlag = Flag.Boolean("check").pipe(
  Flag.withDescription("Check with the provider first (--no-check: do not)"),
  Flag.withDefault(true)
)

const labelFlag = Flag.String("label").pipe(
  Flag.withDescription("The name of the account in responses"),
  Flag.withSchema(Name)
)

const printExamined = Effect.fnUntraced(function* ({ account, finding }: Examined) {
  const check = finding === undefined ? "skipped" : describeFinding(finding)
  yield* printAccount(account, { check, ...(yield* warnUnlessSending(account)) })
})

const connectFlags = {
  ...ownerFlags,
  channel: Flag.Literals("channel", Channel.literals),
  provider: Flag.String("provider").pipe(Flag.withDescription("The provider's name, e.g. simulator")),
  label: labelFlag,
  ...settingsFlags,
  default: switchFlag("default", "Make it the channel's default account"),
  check: checkFlag
}

const connectCommand = Command.make(
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

const oneAccount = oneOf("account", accountFlag, (account) =>
  Accounts.use((accounts) => accounts.ownerOf(account))
)

const found = ({ customer, target, refused }: Subject<number>) =>
  Effect.mapError(
    Accounts.use((accounts) => accounts.find(customer, target)),
    refused
  )

const list = Command.make("list", ownerFlags, ({ customer, shared }) =>
  withManagement(
    Effect.flatMap(ownerOf(customer, shared), (owner) =>
      printAll((part) => Accounts.use((accounts) => accounts.list(owner, part)), accountFields)
    )
  )
).pipe(Command.withDescription("List connected accounts"))

const paceFlag = (name: string, description: string, maximum: number) =>
  Flag.optional(defaultableFlag(name, `${description}; or default`, { minimum: 0, maximum }))

const paceFlags = {
  gap_ms: paceFlag("gap-ms", "Minimum gap between two sends (0: none)", DAY_MILLIS),
  per_minute: paceFlag("per-minute", "Sends in any minute (0: no limit)", 100_000)
}

const limits = Command.make("limits", { account: oneAccount.flags, ...paceFlags }, ({ account, ...pace }) =>
  withManagement(
    Effect.gen(function* () {
      const subject = yield* oneAccount.find(account)
      const input = asInput(pace)
      const record = Record.isEmptyRecord(input)
        ? found(subject)
        : Effect.mapBoth(operate(changeAccount, { ...subject, input }), {
            onFailure: subject.refused,
            onSuccess: (saved) => saved.account
          })
      yield* printAccount(yield* record)
    })
  )
).pipe(Command.withDescription("Show or override how fast an account sends"))

const update = actionCommand(
  "update",
  "Change an account's label, settings, default or pace",
  changeAccount,
  oneAccount,
  {
    flags: {
      label: Flag.optional(labelFlag),
      ...settingsFlags,
      ...settingsChangeFlags,
      check: checkFlag,
      default: Flag.Boolean("default").pipe(
        Flag.withDescription("Make it the channel's default account (--no-default: no longer)"),
        Flag.optional
      ),
      ...paceFlags
    },
    input: ({ settings: inline, settingsFile, changeSettings, changeSettingsFile, ...given }) =>
      Effect.map(
        Effect.all([
          readSomeSettings({ settings: inline, settingsFile }),
          readSettingsChange({ changeSettings, changeSettingsFile })
        ]),
        ([settings, settings_change]) => ({ ...asInput(given), settings, settings_change })
      ),
    refused: (error, _, { target }) => refusedAccount("its provider", `account ${target}`)(error),
    print: (saved, _, { settings, settingsFile, changeSettings, changeSettingsFile }) =>
      [settings, settingsFile, changeSettings, changeSettingsFile].every(Option.isNone)
        ? printAccount(saved.account)
        : printExamined(saved)
  }
)

const ids = Schema.String.check(
  Schema.isPattern(/^(\d{1,9}(,\d{1,9})*)?$/, { message: "account ids, separated by commas" })
)

const standby = actionCommand(
  "standby",
  "Set the accounts that take over with a code when one cannot send it",
  setStandby,
  oneAccount,
  {
    flags: {
      by: Flag.String("by").pipe(
        Flag.withDescription('Accounts of its channel, in order, e.g. 7,8; "" removes them'),
        Flag.withSchema(ids)
      )
    },
    input: ({ by }) => Effect.succeed({ account_ids: by === "" ? [] : by.split(",").map(Number) }),
    refused: (error, _, { target }) => refusedAction(`account ${target}`, { account_ids: "by" })(error),
    print: (saved) => printAccount(saved)
  }
)

const inbox = Command.make(
  "inbox",
  {
    account: oneAccount.flags,
    rotate: switchFlag("rotate", "Create another path; the old one stops working at once")
  },
  ({ account, rotate }) =>
    withManagement(
      Effect.gen(function* () {
        const subject = yield* oneAccount.find(account)
        const { customer, target, refused } = subject
        const path = rotate
          ? Effect.map(operate(rotateInbox, subject), (rotated) => rotated.path)
          : Accounts.use((accounts) => accounts.inboxPath(customer, target, false))
        yield* printOne({ account_id: target, path: yield* Effect.mapError(path, refused) })
      })
    )
).pipe(Command.withDescription("Show the secret path that an account's updates are posted to"))

const setActive = (name: string, active: boolean, description: string) =>
  actionCommand(name, description, changeAccount, oneAccount, {
    input: () => Effect.succeed({ active }),
    print: (saved) => printAccount(saved.account)
  })

const remove = actionCommand(
  "delete",
  "Delete an account that nothing needs, with its contacts",
  removeAccount,
  oneAccount,
  { print: (_, { target }) => printOne({ credential_id: target, deleted: true }) }
)

/** Asks the provider whether the account works, and sends a code over it if a phone is named. */
const check = Command.make(
  "check",
  {
    account: oneAccount.flags,
    sendTo: optionalText("send-to", "Also send a real code to this phone; no limit and no wallet counts it")
  },
  ({ account, sendTo }) =>
    withManagement(
      Effect.gen(function* () {
        const { customer, target, refused } = yield* oneAccount.find(account)
        const accounts = yield* Accounts
        const phone = yield* Effect.mapError(
          Effect.transposeOption(Option.map(sendTo, (text) => Effect.fromResult(parsePhone(text)))),
          () => new CommandError({ message: "--send-to is not an Iranian mobile number" })
        )
        const finding = yield* Effect.mapError(accounts.check(customer, target), refused)
        const sent = Option.isSome(phone)
          ? yield* Effect.mapError(accounts.tryAccount(customer, target, phone.value), refused)
          : undefined
        yield* printOne({
          credential_id: target,
          check: describeFinding(finding),
          ...(sent === undefined ? {} : { test_send: describeOutcome(sent) })
        })
        if (AccountFinding.$is("Refused")(finding) || (sent !== undefined && sent._tag !== "Accepted"))
          return yield* new CommandError({ message: `account ${target} does not work` })
      })
    )
).pipe(Command.withDescription("Ask the provider whether an account works; send a code as a test"))

const accountCommand = Command.make("account").pipe(
  Command.withSubcommands([
    connectCommand,
    list,
    update,
    limits,
    standby,
    inbox,
    check,
    setActive("disable", false, "Stop sending with an account"),
    setActive("enable", true, "Send with an account again"),
    remove
  ])
)

export const commands = { account: accountCommand }
