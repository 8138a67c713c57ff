import { Effect, Result } from "effect"
import { readFile, stat } from "node:fs/promises"
import { MAX_FILE_LENGTH, type NamedNetwork, parseNetworkNames } from "../../domain/guard/NetworkNames.ts"
import { StartupError } from "../system/StartupError.ts"

/** In UTF-8 a character has up to four bytes. */
const MAX_BYTES = 4 * MAX_FILE_LENGTH

/** A device or a pipe could have no end. */
const readFileOnly = async (path: string): Promise<string> => {
  const about = await stat(path)
  if (!about.isFile()) throw new Error("it is not a file")
  if (about.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`)
  return readFile(path, "utf8")
}

/** The networks of the operator's file; none without one. Peyk does not start with a file that it cannot read whole. */
export const readNetworkNames = (path: string): Effect.Effect<ReadonlyArray<NamedNetwork>, StartupError> => {
  if (path === "") return Effect.succeed([])
  const refused = (reason: string) => new StartupError({ message: `PEYK_NETWORK_NAMES (${path}): ${reason}` })
  return Effect.tryPromise({
    try: () => readFileOnly(path),
    catch: (error) => refused(error instanceof Error ? error.message : String(error))
  }).pipe(
    Effect.flatMap((text) =>
      Result.match(parseNetworkNames(text), {
        onFailure: (reason) => Effect.fail(refused(reason)),
        onSuccess: Effect.succeed
      })
    )
  )
}
