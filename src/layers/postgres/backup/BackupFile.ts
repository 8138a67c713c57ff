import { Effect, type Scope } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { pipeline } from "node:stream"
import { pipeline as pipelineAsync } from "node:stream/promises"
import { StringDecoder } from "node:string_decoder"
import { createGunzip, createGzip } from "node:zlib"
import { StartupError } from "../../process/StartupError.ts"

/** A backup while it is written: lines of text, compressed. It appears under its name when it is complete. */
export interface BackupWriter {
  readonly write: (lines: ReadonlyArray<string>) => Effect.Effect<void, StartupError>
  /** The size of the file, in bytes. */
  readonly finish: Effect.Effect<number, StartupError>
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const syncDirectory = (directory: string) => {
  const descriptor = fs.openSync(directory, fs.constants.O_RDONLY)
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

const openDraft = (draft: string) => {
  const gzip = createGzip()
  const written = pipelineAsync(gzip, fs.createWriteStream(draft, { flags: "wx", mode: 0o600, flush: true }))
  // the caller that writes or finishes gets it
  written.catch(() => {})
  const write = (text: string) =>
    Promise.race([
      new Promise<void>((resolve, reject) => {
        gzip.write(text, (error) => (error == null ? resolve() : reject(error)))
      }),
      written
    ])
  const end = () => {
    gzip.end()
    return written
  }
  return { write, end, abandon: () => void gzip.destroy() }
}

/** Readable only by its owner: it contains phones and texts. */
export const writeBackup = (file: string): Effect.Effect<BackupWriter, StartupError, Scope.Scope> => {
  const target = path.resolve(file)
  const draft = `${target}.${process.pid}.part`
  const cannot = (error: unknown) =>
    new StartupError({ message: `${file} cannot be written: ${messageOf(error)}` })
  const open = Effect.acquireRelease(
    Effect.try({ try: () => openDraft(draft), catch: cannot }),
    ({ abandon }) =>
      Effect.sync(() => {
        abandon()
        fs.rmSync(draft, { force: true })
      })
  )
  return Effect.map(open, ({ write, end }) => ({
    write: (lines) =>
      Effect.tryPromise({ try: () => write(lines.map((line) => `${line}\n`).join("")), catch: cannot }),
    finish: Effect.tryPromise({
      try: async () => {
        await end()
        const { size } = fs.statSync(draft)
        fs.renameSync(draft, target)
        syncDirectory(path.dirname(target))
        return size
      },
      catch: cannot
    })
  }))
}

class NotWhole extends Error {
  override readonly message = "its last line is not whole"
}

async function* linesOf(file: string): AsyncGenerator<string, void> {
  // an error in either destroys both, and ends the loop below with it
  const unzipped = pipeline(fs.createReadStream(file), createGunzip(), () => {})
  const decoder = new StringDecoder("utf8")
  let rest = ""
  for await (const chunk of unzipped) {
    const lines = (rest + decoder.write(chunk)).split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
  if (rest !== "") throw new NotWhole()
}

const isDamage = (error: unknown): boolean =>
  error instanceof NotWhole ||
  (error instanceof Error && "code" in error && String(error.code).startsWith("Z_"))

const unreadable = (file: string) => (error: unknown) =>
  new StartupError({
    message: `${file} ${isDamage(error) ? "is damaged, or no backup, and " : ""}cannot be read: ${messageOf(error)}`
  })

/** The next line of a backup; undefined at its end. */
export type ReadLine = Effect.Effect<string | undefined, StartupError>

export const readBackup = (file: string): Effect.Effect<ReadLine, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => linesOf(file)),
      (lines) => Effect.promise(() => lines.return())
    ),
    (lines) =>
      Effect.tryPromise({
        try: async () => {
          const { done, value } = await lines.next()
          return done === true ? undefined : value
        },
        catch: unreadable(file)
      })
  )
