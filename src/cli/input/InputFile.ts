import { Effect, Stdio, Stream } from "effect"
import * as fs from "node:fs"
import { CommandError } from "../output/CommandError.ts"

const unreadable = (file: string, error: unknown) =>
  new CommandError({
    message: `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`
  })

const readStandardInput = Effect.flatMap(Stdio.Stdio, ({ stdin }) =>
  Stream.mkString(Stream.decodeText(stdin))
)

/** A file of the operator; `-` is standard input. */
export const readInput = (file: string) =>
  file === "-"
    ? Effect.mapError(readStandardInput, (error) => unreadable(file, error))
    : Effect.try({
        try: () => fs.readFileSync(file, "utf8"),
        catch: (error) => unreadable(file, error)
      })
