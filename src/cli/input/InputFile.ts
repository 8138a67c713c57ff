import { Effect } from "effect"
import * as fs from "node:fs"
import { CommandError } from "../output/CommandError.ts"

const STANDARD_INPUT = 0

/** A file of the operator; `-` is standard input. */
export const readInput = (file: string) =>
  Effect.try({
    try: () => fs.readFileSync(file === "-" ? STANDARD_INPUT : file, "utf8"),
    catch: (error) =>
      new CommandError({
        message: `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`
      })
  })
