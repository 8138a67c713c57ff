import { Effect, Stdio, Stream } from "effect"
import { Flag } from "effect/cli"
import * as fs from "node:fs"
import { CommandError } from "../output/CommandError.ts"
import { isPassword, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "../../domain/user/Password.ts"

/** A password, or the settings of one account. */
export const SMALL_INPUT_BYTES = 64 * 1024
/** A list of contacts or messages: a million rows fit. */
export const LARGE_INPUT_BYTES = 64 * 1024 * 1024

class TooLarge extends Error {
  constructor(maxBytes: number) {
    super(`it has more than ${maxBytes / 1024} KiB`)
  }
}

const unreadable = (file: string, error: unknown) =>
  new CommandError({
    message: `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`
  })

/** Collects bytes up to a bound: a device or a pipe may have no end. */
const makeCollector = (maxBytes: number) => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  return {
    add: (chunk: Uint8Array) => {
      size += chunk.length
      if (size > maxBytes) throw new TooLarge(maxBytes)
      chunks.push(chunk)
    },
    text: () => Buffer.concat(chunks).toString("utf8")
  }
}

const readStandardInput = (maxBytes: number) =>
  Effect.gen(function* () {
    const { stdin } = yield* Stdio.Stdio
    const collector = makeCollector(maxBytes)
    const add = (chunk: Uint8Array) =>
      Effect.try({ try: () => collector.add(chunk), catch: (error) => unreadable("-", error) })
    yield* Effect.mapError(Stream.runForEach(stdin, add), (error) =>
      error instanceof CommandError ? error : unreadable("-", error)
    )
    return collector.text()
  })

/** In parts, so that a command that is asked to stop does so at once. */
const readFile = (file: string, maxBytes: number) =>
  Effect.tryPromise({
    try: async (signal) => {
      const collector = makeCollector(maxBytes)
      for await (const chunk of fs.createReadStream(file, { signal })) collector.add(chunk as Buffer)
      return collector.text()
    },
    catch: (error) => unreadable(file, error)
  })

/** A file of the operator of at most so many bytes; `-` is standard input. */
export const readInput = (file: string, maxBytes: number) =>
  file === "-" ? readStandardInput(maxBytes) : readFile(file, maxBytes)

/** Reads such a file before anything else runs. */
export const readInputSync = (file: string, maxBytes: number): string => {
  const collector = makeCollector(maxBytes)
  const descriptor = fs.openSync(file, fs.constants.O_RDONLY)
  try {
    while (true) {
      const chunk = Buffer.alloc(64 * 1024)
      const size = fs.readSync(descriptor, chunk)
      if (size === 0) return collector.text()
      collector.add(chunk.subarray(0, size))
    }
  } finally {
    fs.closeSync(descriptor)
  }
}

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
