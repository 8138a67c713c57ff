import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { SendingAccount } from "../../../domain/people/Customer.ts"
import { Channel } from "../../../domain/routing/Channel.ts"
import { Name } from "../../../domain/Fields.ts"
import {
  type AccountOwner,
  Accounts,
  type NewAccount
} from "../../../services/resources/accounts/Accounts.ts"
import { audited, withManagement } from "../../CommandContext.ts"
import { readSettings, settingsFlags } from "../../input/SettingsInput.ts"
import { describeFinding } from "../../output/AccountFindings.ts"
import { CommandError, describeError } from "../../output/CommandError.ts"
import { accountEntry } from "./AccountChanges.ts"
import { printAccount } from "./AccountOutput.ts"
import { ownerFlags, ownerOf } from "./AccountOwner.ts"

/** Connects an account unless its provider refuses it. If the provider cannot be asked, the account is connected. */
const checkNew = Effect.fnUntraced(function* (owner: AccountOwner, account: NewAccount) {
  const finding = yield* (yield* Accounts).examine(owner, account)
  if (finding._tag !== "Refused") return finding
  return yield* new CommandError({
    message: `${account.provider} refuses the account: ${finding.reason} (connect it anyway with --no-check)`
  })
})

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

const connectFlags = {
  ...ownerFlags,
  channel: Flag.Literals("channel", Channel.literals),
  provider: Flag.String("provider").pipe(Flag.withDescription("The provider's name, e.g. simulator")),
  label: Flag.String("label").pipe(
    Flag.withDescription("How responses name the account"),
    Flag.withSchema(Name)
  ),
  ...settingsFlags,
  isDefault: Flag.Boolean("default").pipe(
    Flag.withDescription("Make it the channel's default account"),
    Flag.withDefault(false)
  ),
  checks: Flag.Boolean("check").pipe(
    Flag.withDescription("Ask the provider first whether the account works (--no-check: do not)"),
    Flag.withDefault(true)
  )
}

export const connectCommand = Command.make(
  "connect",
  connectFlags,
  ({ customer, shared, checks, settings: inline, settingsFile, ...given }) =>
    withManagement(
      Effect.gen(function* () {
        const owner = yield* ownerOf(customer, shared)
        const settings = yield* readSettings({ settings: inline, settingsFile })
        const account: NewAccount = { ...given, settings, allowsPrivateAddresses: true }
        const finding = checks ? yield* checkNew(owner, account) : undefined
        const check = finding === undefined ? "skipped" : describeFinding(finding)
        const { channel, provider, label } = account
        const connected = yield* audited(
          owner,
          (yield* Accounts).connect(owner, { ...account, finding }),
          ({ id }) => accountEntry("connect", id, { channel, provider, label })
        )
        yield* printAccount(connected, { check, ...(yield* warnUnlessSending(connected)) })
      }).pipe(Effect.catchTags({ validation_error: describeError, channel_unavailable: describeError }))
    )
).pipe(Command.withDescription("Connect a messenger or SMS account"))
