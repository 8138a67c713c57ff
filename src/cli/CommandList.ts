import { Effect } from "effect"
import { Command } from "effect/cli"

/**
 * A command, by its name in a file that is loaded when the command line names it. Its description is also part of the
 * help of `peyk` itself.
 */
const command = <const Name extends string, Commands extends Readonly<Record<Name, Command.Command.Any>>>(
  name: Name,
  description: string,
  load: () => Promise<{ readonly commands: Commands }>
) => {
  const describe = Command.withDescription(description)
  return {
    name,
    // a description changes no type
    load: async () => describe((await load()).commands[name]) as Commands[Name],
    unloaded: describe(Command.make(name))
  }
}

/** In the order of `peyk --help`. */
const commands = [
  command("serve", "Serve the API, and run due work", () => import("./server/ServeCommand.ts")),
  command(
    "migrate",
    "Upgrade the schema of the store (serve does it too)",
    () => import("./server/MigrateCommand.ts")
  ),
  command(
    "cell",
    "The parts of a store that is spread over several machines",
    () => import("./server/MigrateCommand.ts")
  ),
  command("openapi", "Print the OpenAPI document", () => import("./server/OpenApiCommand.ts")),
  command(
    "doctor",
    "Check the settings, the store and every account",
    () => import("./server/DoctorCommand.ts")
  ),
  command(
    "backup",
    "Write the whole store to a file; the server can be running",
    () => import("./server/BackupCommands.ts")
  ),
  command(
    "restore",
    "Restore a store from a backup: into an empty data directory, or into DATABASE_URL",
    () => import("./server/BackupCommands.ts")
  ),
  command(
    "demo",
    "Walk through a verification with a fallback, in this terminal",
    () => import("./server/DemoCommand.ts")
  ),
  command(
    "setup",
    "Set up a customer that can send: owner, keys, accounts, routing and money",
    () => import("./commands/SetUpCommand.ts")
  ),
  command("customer", "Customers", () => import("./commands/CustomerCommands.ts")),
  command("key", "Service keys", () => import("./commands/KeyCommands.ts")),
  command(
    "token",
    "Personal access tokens, for the management API",
    () => import("./commands/TokenCommands.ts")
  ),
  command("user", "People who manage a customer's account", () => import("./commands/UserCommands.ts")),
  command(
    "operator",
    "People who run this installation, in the console",
    () => import("./commands/OperatorCommands.ts")
  ),
  command(
    "signing-key",
    "The keys that sign the JWTs of sign-ins",
    () => import("./commands/UserCommands.ts")
  ),
  command("account", "Sending accounts", () => import("./commands/AccountCommands.ts")),
  command("contacts", "The phones that bots can reach", () => import("./commands/ContactCommands.ts")),
  command("routing", "The default order of channels", () => import("./commands/RoutingCommands.ts")),
  command("template", "Texts with placeholders", () => import("./commands/TemplateCommands.ts")),
  command("wallet", "Wallets, in whole rials", () => import("./commands/WalletCommands.ts")),
  command(
    "verification",
    "Sent codes and their outcomes",
    () => import("./commands/VerificationCommands.ts")
  ),
  command("message", "Sent messages and their outcomes", () => import("./commands/MessageCommands.ts")),
  command("phone", "Recipients: erase a phone from the records", () => import("./commands/PhoneCommands.ts")),
  command(
    "guard",
    "Protection against pumping, bombing and guessing",
    () => import("./commands/GuardCommands.ts")
  ),
  command("alert", "Alerts: who hears of trouble, and of what", () => import("./commands/AlertCommands.ts")),
  command(
    "webhook",
    "Webhooks: the addresses that receive a customer's events",
    () => import("./commands/WebhookCommands.ts")
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
