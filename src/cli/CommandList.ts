import { Effect } from "effect"
import { Command } from "effect/cli"

/** A command that is loaded when the command line names it. Its description is also part of the help of `peyk` itself. */
const command = <const Name extends string, Input, ContextInput, E, R>(
  name: Name,
  description: string,
  load: () => Promise<Command.Command<Name, Input, ContextInput, E, R>>
) => {
  const describe = Command.withDescription(description)
  return {
    name,
    load: async () => describe(await load()),
    unloaded: describe(Command.make(name))
  }
}

/** In the order of `peyk --help`. */
const commands = [
  command(
    "serve",
    "Serve the API, and run due work",
    async () => (await import("./server/ServeCommand.ts")).commands.serve
  ),
  command(
    "migrate",
    "Upgrade the schema of the store (serve does it too)",
    async () => (await import("./server/MigrateCommand.ts")).commands.migrate
  ),
  command(
    "cell",
    "The parts of a store that is spread over several machines",
    async () => (await import("./server/MigrateCommand.ts")).commands.cell
  ),
  command(
    "openapi",
    "Print the OpenAPI document",
    async () => (await import("./server/OpenApiCommand.ts")).commands.openapi
  ),
  command(
    "doctor",
    "Check the settings, the store and every account",
    async () => (await import("./server/DoctorCommand.ts")).commands.doctor
  ),
  command(
    "backup",
    "Write the whole store to a file; the server can be running",
    async () => (await import("./server/BackupCommands.ts")).commands.backup
  ),
  command(
    "restore",
    "Restore a store from a backup: into an empty data directory, or into DATABASE_URL",
    async () => (await import("./server/BackupCommands.ts")).commands.restore
  ),
  command(
    "demo",
    "Walk through a verification with a fallback, in this terminal",
    async () => (await import("./server/DemoCommand.ts")).commands.demo
  ),
  command(
    "setup",
    "Set up a customer that can send: owner, keys, accounts, routing and money",
    async () => (await import("./commands/SetUpCommand.ts")).commands.setup
  ),
  command(
    "customer",
    "Customers",
    async () => (await import("./commands/CustomerCommands.ts")).commands.customer
  ),
  command("key", "Service keys", async () => (await import("./commands/KeyCommands.ts")).commands.key),
  command(
    "token",
    "Personal access tokens, for the management API",
    async () => (await import("./commands/TokenCommands.ts")).commands.token
  ),
  command(
    "user",
    "People who manage a customer's account",
    async () => (await import("./commands/UserCommands.ts")).commands.user
  ),
  command(
    "operator",
    "People who run this installation, in the console",
    async () => (await import("./commands/OperatorCommands.ts")).commands.operator
  ),
  command(
    "signing-key",
    "The keys that sign the JWTs of sign-ins",
    async () => (await import("./commands/UserCommands.ts")).commands["signing-key"]
  ),
  command(
    "account",
    "Sending accounts",
    async () => (await import("./commands/AccountCommands.ts")).commands.account
  ),
  command(
    "contacts",
    "The phones that bots can reach",
    async () => (await import("./commands/ContactCommands.ts")).commands.contacts
  ),
  command(
    "routing",
    "The default order of channels",
    async () => (await import("./commands/RoutingCommands.ts")).commands.routing
  ),
  command(
    "template",
    "Texts with placeholders",
    async () => (await import("./commands/TemplateCommands.ts")).commands.template
  ),
  command(
    "wallet",
    "Wallets, in whole rials",
    async () => (await import("./commands/WalletCommands.ts")).commands.wallet
  ),
  command(
    "verification",
    "Sent codes and their outcomes",
    async () => (await import("./commands/VerificationCommands.ts")).commands.verification
  ),
  command(
    "message",
    "Sent messages and their outcomes",
    async () => (await import("./commands/MessageCommands.ts")).commands.message
  ),
  command(
    "phone",
    "Recipients: erase a phone from the records",
    async () => (await import("./commands/PhoneCommands.ts")).commands.phone
  ),
  command(
    "guard",
    "Protection against pumping, bombing and guessing",
    async () => (await import("./commands/GuardCommands.ts")).commands.guard
  ),
  command(
    "webhook",
    "Webhooks: the addresses that receive a customer's events",
    async () => (await import("./commands/WebhookCommands.ts")).commands.webhook
  )
]

/** These are about every command. */
const ABOUT_ALL = /^--(completions|wizard)(=|$)/

/**
 * The commands of `peyk`. Only those that a word names are loaded, because most of the program is not needed for one of
 * them: a word may be the value of a flag, which only loads too much.
 */
export const commandsNamedIn = (words: ReadonlyArray<string>) => {
  const isNeeded = words.some((word) => ABOUT_ALL.test(word))
    ? () => true
    : (name: string) => words.includes(name)
  return Effect.promise(() =>
    Promise.all(commands.map(({ name, load, unloaded }) => (isNeeded(name) ? load() : unloaded)))
  )
}
