import { Effect, Redacted } from "effect"
import { Flag } from "effect/cli"
import { isPassword, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "../../domain/people/User.ts"
import { Passwords } from "../../services/access/Passwords.ts"
import { CommandError } from "../output/CommandError.ts"
import { readInput, SMALL_INPUT_BYTES } from "./InputFile.ts"

/** Never on the command line, which other programs and the shell's history can read. */
export const passwordFlag = Flag.String("password-file").pipe(
  Flag.withDescription("A file whose first line is the password; - reads standard input")
)

export const readPassword = (file: string) =>
  Effect.map(readInput(file, SMALL_INPUT_BYTES), (text) => Redacted.make(text.split(/\r?\n/, 1)[0] ?? ""))

/** Takes its time, so it belongs before a transaction. */
export const hashPassword = Effect.fnUntraced(function* (password: Redacted.Redacted, customerId: number) {
  if (!isPassword(Redacted.value(password))) {
    return yield* new CommandError({
      message: `a password has ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`
    })
  }
  return yield* Effect.mapError(
    (yield* Passwords).hash(password, { customerId, network: null }),
    () => new CommandError({ message: "too many passwords are being set at once; try again" })
  )
})
