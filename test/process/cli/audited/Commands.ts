import { accountCommand } from "../../../../src/cli/commands/AccountCommands.ts"
import { contactsCommand } from "../../../../src/cli/commands/ContactCommands.ts"
import { customerCommand } from "../../../../src/cli/commands/CustomerCommands.ts"
import type { Command } from "effect/cli"
import { guardCommand } from "../../../../src/cli/commands/GuardCommands.ts"
import { keyCommand } from "../../../../src/cli/commands/KeyCommands.ts"
import { messageCommand } from "../../../../src/cli/commands/MessageCommands.ts"
import { routingCommand } from "../../../../src/cli/commands/RoutingCommands.ts"
import { templateCommand } from "../../../../src/cli/commands/TemplateCommands.ts"
import { tokenCommand } from "../../../../src/cli/commands/TokenCommands.ts"
import { signingKeyCommand, userCommand } from "../../../../src/cli/commands/UserCommands.ts"
import { verificationCommand } from "../../../../src/cli/commands/VerificationCommands.ts"
import { walletCommand } from "../../../../src/cli/commands/WalletCommands.ts"
import { webhookCommand } from "../../../../src/cli/commands/WebhookCommands.ts"

const groups = [
  accountCommand,
  contactsCommand,
  customerCommand,
  guardCommand,
  keyCommand,
  messageCommand,
  routingCommand,
  signingKeyCommand,
  templateCommand,
  tokenCommand,
  userCommand,
  verificationCommand,
  walletCommand,
  webhookCommand
]

const namesBelow = ({ name, subcommands }: Command.Command.Any): ReadonlyArray<string> => {
  const below = subcommands.flatMap(({ commands }) => commands.flatMap(namesBelow))
  return below.length === 0 ? [name] : below.map((each) => `${name} ${each}`)
}

/** Each command of the groups that work for a customer. */
export const allCommands = groups.flatMap(namesBelow)

/** The commands that only show something. */
export const READS = [
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
  "template list",
  "template show",
  "token list",
  "user list",
  "verification list",
  "verification show",
  "wallet show",
  "webhook deliveries",
  "webhook list",
  "webhook show"
]
