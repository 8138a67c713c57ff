import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, ConfigProvider, Effect, Exit, Layer, Logger, References, Runtime } from "effect"
import { Command } from "effect/cli"
import { accountCommand } from "./cli/AccountCommands.ts"
import { backupCommand, restoreCommand } from "./cli/server/BackupCommands.ts"
import { contactsCommand } from "./cli/ContactCommands.ts"
import { customerCommand } from "./cli/CustomerCommands.ts"
import { demoCommand } from "./cli/server/DemoCommand.ts"
import { doctorCommand } from "./cli/server/DoctorCommand.ts"
import { EnvFileFlag, loadEnvFile } from "./cli/input/EnvFile.ts"
import { keyCommand } from "./cli/KeyCommands.ts"
import { openapiCommand } from "./cli/server/OpenApiCommand.ts"
import { ErrorOutput, reportDefects } from "./cli/output/Errors.ts"
import { JsonFlag } from "./cli/output/Output.ts"
import { routingCommand } from "./cli/RoutingCommands.ts"
import { migrateCommand, serveCommand } from "./cli/server/ServeCommand.ts"
import { templateCommand } from "./cli/TemplateCommands.ts"
import { tokenCommand } from "./cli/TokenCommands.ts"
import { signingKeyCommand, userCommand } from "./cli/UserCommands.ts"
import { walletCommand } from "./cli/WalletCommands.ts"
import { messageCommand } from "./cli/MessageCommands.ts"
import { verificationCommand } from "./cli/VerificationCommands.ts"
import { webhookCommand } from "./cli/WebhookCommands.ts"
import { settings } from "./layers/config/Configuration.ts"
import { version } from "./layers/config/Version.ts"

const peyk = Command.make("peyk").pipe(
  Command.withDescription("One-time codes for Iranian phones, over messengers and SMS, with fallback"),
  Command.withSubcommands([
    serveCommand,
    migrateCommand,
    openapiCommand,
    doctorCommand,
    backupCommand,
    restoreCommand,
    demoCommand,
    customerCommand,
    keyCommand,
    tokenCommand,
    userCommand,
    signingKeyCommand,
    accountCommand,
    contactsCommand,
    routingCommand,
    templateCommand,
    walletCommand,
    verificationCommand,
    messageCommand,
    webhookCommand
  ]),
  Command.withGlobalFlags([JsonFlag, EnvFileFlag])
)

/** Standard output is for results. Logs go to standard error: text on a terminal, else JSON, unless configured. */
const Logging = Layer.unwrap(
  Effect.gen(function* () {
    const minimum = yield* settings.logLevel.config.pipe(Effect.orElseSucceed(() => "Info" as const))
    const format = yield* settings.logFormat.config.pipe(Effect.orElseSucceed(() => "auto" as const))
    const isPretty = format === "pretty" || (format === "auto" && process.stderr.isTTY)
    const logger = isPretty ? Logger.consolePretty() : Logger.withConsoleError(Logger.formatJson)
    return Layer.mergeAll(
      Logger.layer([logger]),
      Layer.succeed(Logger.LogToStderr, true),
      Layer.succeed(References.MinimumLogLevel, minimum)
    )
  })
).pipe(Layer.provide(Layer.suspend(() => ConfigProvider.layer(ConfigProvider.fromEnv()))))

/** Being asked to stop is not a failure. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    ? onExit(0)
    : Runtime.defaultTeardown(exit, onExit)

const commandLine = reportDefects(Command.run(peyk, { version })).pipe(
  Effect.provide([NodeServices.layer, Logging, ErrorOutput])
)

const program = Effect.andThen(loadEnvFile, commandLine)

NodeRuntime.runMain(program, { teardown, disableErrorReporting: true })
