import { Effect } from "effect"
import { Flag } from "effect/cli"
import { isPassword, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "../../domain/user/User.ts"
import { CommandError } from "../output/CommandError.ts"
import { readInput, SMALL_INPUT_BYTES } from "./InputFile.ts"

/** Never on the command line, which other programs and the shell's history can read. */
export const passwordFlag = Flag.String("password-file").pipe(
  Flag.withDescription("A file whose first line is the password; - reads standard input")
)

/** The password in a file, before anything else is done for it. */
export const readPassword = (file: string) =>
  Effect.flatMap(readInput(file, SMALL_INPUT_BYTES), (text) => {
    const password = text.split(/\r?\n/, 1)[0] ?? ""
    return isPassword(password)
      ? Effect.succeed(password)
      : new CommandError({
          message: `a password has ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`
        })
  })
