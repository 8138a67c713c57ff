import { accountCommand } from "../../../../src/cli/channels/AccountCommands.ts"
import { contactsCommand } from "../../../../src/cli/channels/ContactCommands.ts"
import { customerCommand } from "../../../../src/cli/people/CustomerCommands.ts"
import { keyCommand } from "../../../../src/cli/people/KeyCommands.ts"
import { messageCommand } from "../../../../src/cli/activity/MessageCommands.ts"
import { routingCommand } from "../../../../src/cli/channels/RoutingCommands.ts"
import { templateCommand } from "../../../../src/cli/channels/TemplateCommands.ts"
import { tokenCommand } from "../../../../src/cli/people/TokenCommands.ts"
import { signingKeyCommand, userCommand } from "../../../../src/cli/people/UserCommands.ts"
import { verificationCommand } from "../../../../src/cli/activity/VerificationCommands.ts"
import { walletCommand } from "../../../../src/cli/people/WalletCommands.ts"
import { webhookCommand } from "../../../../src/cli/webhooks/WebhookCommands.ts"

const groups = [
  accountCommand,
  contactsCommand,
  customerCommand,
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

/** Each command of the groups that work for a customer. */
export const allCommands = groups.flatMap(({ name, subcommands }) =>
  subcommands.flatMap(({ commands }) => commands.map((command) => `${name} ${command.name}`))
)

/** The commands that only show something. */
export const READS = [
  "account list",
  "contacts count",
  "customer list",
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
