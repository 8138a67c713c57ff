import { commands as account } from "../../../../src/cli/commands/AccountCommands.ts"
import { commands as contact } from "../../../../src/cli/commands/ContactCommands.ts"
import { commands as customer } from "../../../../src/cli/commands/CustomerCommands.ts"
import type { Command } from "effect/cli"
import { commands as guard } from "../../../../src/cli/commands/GuardCommands.ts"
import { commands as key } from "../../../../src/cli/commands/KeyCommands.ts"
import { commands as message } from "../../../../src/cli/commands/MessageCommands.ts"
import { commands as routing } from "../../../../src/cli/commands/RoutingCommands.ts"
import { commands as template } from "../../../../src/cli/commands/TemplateCommands.ts"
import { commands as token } from "../../../../src/cli/commands/TokenCommands.ts"
import { commands as user } from "../../../../src/cli/commands/UserCommands.ts"
import { commands as verification } from "../../../../src/cli/commands/VerificationCommands.ts"
import { commands as wallet } from "../../../../src/cli/commands/WalletCommands.ts"
import { commands as webhook } from "../../../../src/cli/commands/WebhookCommands.ts"

const groups: ReadonlyArray<Command.Command.Any> = [
  account,
  contact,
  customer,
  guard,
  key,
  message,
  routing,
  template,
  token,
  user,
  verification,
  wallet,
  webhook
].flatMap((commands) => Object.values(commands))

const namesBelow = ({ name, subcommands }: Command.Command.Any): ReadonlyArray<string> => {
  const below = subcommands.flatMap(({ commands }) => commands.flatMap(namesBelow))
  return below.length === 0 ? [name] : below.map((each) => `${name} ${each}`)
}

/** Each command of the groups that work for a customer. */
export const allCommands = groups.flatMap(namesBelow)

/** The commands that only show something. */
export const READS = [
  "account check",
  "account list",
  "contacts count",
  "customer list",
  "guard alarms",
  "guard allow list",
  "guard days",
  "guard deny list",
  "guard show",
  "key list",
  "message list",
  "message show",
  "routing show",
  "routing history",
  "template list",
  "template show",
  "token list",
  "user list",
  "verification list",
  "verification show",
  "wallet budget show",
  "wallet show",
  "wallet statement",
  "webhook deliveries",
  "webhook list",
  "webhook show"
]
