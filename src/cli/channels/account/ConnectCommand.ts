import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { SendingAccount } from "../../../domain/customer/Customer.ts"
import { Channel } from "../../../domain/routing/Channel.ts"
import { Name } from "../../../domain/Fields.ts"
import { connectAccount, type Examined } from "../../../services/account/AccountActions.ts"
import { Accounts } from "../../../services/account/Accounts.ts"
import { operate, withManagement } from "../../CommandContext.ts"
import { readSettings, settingsFlags } from "../../input/SettingsInput.ts"
import { describeFinding } from "../../output/AccountFindings.ts"
import { type ActionRefusal, CommandError, refusedAction } from "../../output/CommandError.ts"
import { printAccount } from "./AccountOutput.ts"
import { ownerFlags, ownerOf } from "./AccountOwner.ts"

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
