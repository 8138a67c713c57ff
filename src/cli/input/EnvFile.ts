import { Console, Effect, Option } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import { parseEnv } from "node:util"
import { forPerson } from "../output/ErrorOutput.ts"
import { readInputSync, SMALL_INPUT_BYTES } from "./InputFile.ts"

const NAME = "--env-file"

/**
 * `--env-file FILE`, valid after every command. It is read before the command line, because it also configures logs.
 */
export const EnvFileFlag = GlobalFlag.Setting("env-file")({
  flag: Flag.String("env-file").pipe(
    Flag.withDescription(
      "Read settings from a file of NAME=value lines; variables that are already set override it"
    ),
    Flag.optional
  )
})

/** The file in a command line. */
const envFileOf = (words: ReadonlyArray<string>): Option.Option<string> => {
  const at = words.findLastIndex((word) => word === NAME || word.startsWith(`${NAME}=`))
  const word = words[at]
  if (word === undefined) return Option.none()
  return Option.fromNullishOr(word === NAME ? words[at + 1] : word.slice(NAME.length + 1))
}

/** Puts the file's settings into the environment, for this process and its children. */
export const loadEnvFile = Effect.suspend(() =>
  Option.match(envFileOf(process.argv), {
    onNone: () => Effect.void,
    onSome: (file) =>
      Effect.try({
        try: () => {
          for (const [name, value] of Object.entries(parseEnv(readInputSync(file, SMALL_INPUT_BYTES)))) {
            process.env[name] ??= value
          }
        },
        catch: (error) =>
          forPerson({
            message: `${NAME} ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`
          })
      }).pipe(Effect.tapError(({ userMessage }) => Console.error(userMessage)))
  })
)
