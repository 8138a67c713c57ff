import { ConfigProvider, Effect, Layer, Logger, References } from "effect"
import { Command } from "effect/cli"
import { commandsNamedIn } from "./CommandList.ts"
import { EnvFileFlag } from "./input/EnvFile.ts"
import { ErrorOutput, reportDefects } from "./output/ErrorOutput.ts"
import { JsonFlag } from "./output/Output.ts"
import { settings } from "../layers/config/Configuration.ts"
import { inOneLine, shown } from "../domain/text/VisibleText.ts"
import { version } from "../layers/config/Version.ts"

const peyk = (words: ReadonlyArray<string>) =>
  Effect.map(commandsNamedIn(words), (commands) =>
    Command.make("peyk").pipe(
      Command.withDescription("One-time codes for Iranian phones, over messengers and SMS, with fallback"),
      Command.withSubcommands(commands),
      Command.withGlobalFlags([JsonFlag, EnvFileFlag])
    )
  )

const isText = (message: unknown): message is string => typeof message === "string"

/** What a provider or a customer wrote can be part of a message, and must not change the terminal. */
const visible = (message: unknown): unknown => {
  if (Array.isArray(message)) return message.map(visible)
  return isText(message) ? inOneLine(message) : message
}

const prettyLogger = (): Logger.Logger<unknown, void> => {
  const pretty = Logger.consolePretty()
  return Logger.make((options) => pretty.log({ ...options, message: visible(options.message) }))
}

const jsonLogger = Logger.withConsoleError(Logger.map(Logger.formatJson, shown))

/** Standard output is for results. Logs go to standard error: text on a terminal, else JSON, unless configured. */
const Logging = Layer.unwrap(
  Effect.gen(function* () {
    const minimum = yield* settings.logLevel.config.pipe(Effect.orElseSucceed(() => "Info" as const))
    const format = yield* settings.logFormat.config.pipe(Effect.orElseSucceed(() => "auto" as const))
    const isPretty = format === "pretty" || (format === "auto" && process.stderr.isTTY)
    const logger = isPretty ? prettyLogger() : jsonLogger
    return Layer.mergeAll(
      Logger.layer([logger]),
      Layer.succeed(Logger.LogToStderr, true),
      Layer.succeed(References.MinimumLogLevel, minimum)
    )
  })
).pipe(Layer.provide(Layer.suspend(() => ConfigProvider.layer(ConfigProvider.fromEnv()))))

/** Runs the command that these words name: what follows `peyk` on a command line. Standard input is a service. */
export const runCommandLine = (words: ReadonlyArray<string>) =>
  Effect.flatMap(peyk(words), (command) => reportDefects(Command.runWith(command, { version })(words))).pipe(
    Effect.provide([Logging, ErrorOutput])
  )
