import { Effect, type Scope } from "effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { pipeline } from "node:stream"
import { pipeline as pipelineAsync } from "node:stream/promises"
import { StringDecoder } from "node:string_decoder"
import { createGunzip, createGzip } from "node:zlib"
import { StartupError } from "../../system/StartupError.ts"

/** The last line: the checksum of gzip finds a damaged file, and this one that was unpacked, changed and packed again. */
const digestLine = (hex: string): string => JSON.stringify({ sha256: hex })
export const isDigestLine = (line: string): boolean => line.startsWith('{"sha256":')

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
  const digest = createHash("sha256")
  return Effect.map(open, ({ write, end }) => ({
    write: (lines) =>
      Effect.tryPromise({
        try: () => {
          const text = lines.map((line) => `${line}\n`).join("")
          digest.update(text)
          return write(text)
        },
        catch: cannot
      }),
    finish: Effect.tryPromise({
      try: async () => {
        await write(`${digestLine(digest.digest("hex"))}\n`)
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

class Changed extends Error {
  override readonly message = "it was changed after it was made"
}

/** No row of a store is longer. */
const MAX_LINE_CHARACTERS = 64 * 1024 * 1024
/** Ids and hashes do not compress: a real backup has less than twenty times the size of its file. */
const MAX_RATIO = 100
/** A short file may be any number of times as long. */
const UNSUSPICIOUS_BYTES = 16 * 1024 * 1024

/** The texts of rows are at most so many times as long as the rows in the store, with their indexes. */
const TEXT_RATIO = 2

/** What unpacks to more than a backup can. */
class Bomb extends Error {}

const MEBIBYTE = 1024 * 1024

/** Stops a file that would fill the memory or the disk, or take hours, as soon as that shows. */
const makeLimit = (freeBytes: number) => {
  let unpacked = 0
  return (chunkBytes: number, packed: number, lineCharacters: number) => {
    unpacked += chunkBytes
    if (unpacked > freeBytes * TEXT_RATIO) {
      throw new Bomb(
        `it unpacks to more than fits into the ${Math.floor(freeBytes / MEBIBYTE)} MiB of free disk`
      )
    }
    if (unpacked > UNSUSPICIOUS_BYTES && unpacked > packed * MAX_RATIO) {
      throw new Bomb(`it unpacks to more than ${MAX_RATIO} times its size`)
    }
    if (lineCharacters > MAX_LINE_CHARACTERS) throw new Bomb("a line of it is longer than any row")
  }
}

/** The beginning of a line whose end was not read yet: in parts, so that a long one is not copied for each. */
const makeLineBuffer = () => {
  let parts: Array<string> = []
  let length = 0
  return {
    length: () => length,
    add: (text: string): ReadonlyArray<string> => {
      const [first = "", ...others] = text.split("\n")
      parts.push(first)
      length += first.length
      if (others.length === 0) return []
      const whole = parts.join("")
      const rest = others.pop() ?? ""
      parts = [rest]
      length = rest.length
      return [whole, ...others]
    }
  }
}

async function* rawLinesOf(file: string, freeBytes: number): AsyncGenerator<string, void> {
  const packed = fs.createReadStream(file)
  // an error in either destroys both, and ends the loop below with it
  const unzipped = pipeline(packed, createGunzip(), () => {})
  const decoder = new StringDecoder("utf8")
  const buffer = makeLineBuffer()
  const limit = makeLimit(freeBytes)
  for await (const chunk of unzipped) {
    limit(chunk.length, packed.bytesRead, buffer.length())
    yield* buffer.add(decoder.write(chunk))
  }
  if (buffer.length() > 0) throw new NotWhole()
}

/** All lines. If the last one is a digest, it is the one of those before it. */
async function* linesOf(file: string, freeBytes: number): AsyncGenerator<string, void> {
  const digest = createHash("sha256")
  let previous: string | undefined
  for await (const line of rawLinesOf(file, freeBytes)) {
    if (previous !== undefined) {
      digest.update(previous).update("\n")
      yield previous
    }
    previous = line
  }
  if (previous === undefined) return
  if (isDigestLine(previous) && previous !== digestLine(digest.digest("hex"))) throw new Changed()
  yield previous
}

const isDamage = (error: unknown): boolean =>
  error instanceof NotWhole ||
  error instanceof Changed ||
  error instanceof Bomb ||
  (error instanceof Error && "code" in error && String(error.code).startsWith("Z_"))

const unreadable = (file: string) => (error: unknown) =>
  new StartupError({
    message: `${file} ${isDamage(error) ? "is damaged, or no backup, and " : ""}cannot be read: ${messageOf(error)}`
  })

/** The next line of a backup; undefined at its end. */
export type ReadLine = Effect.Effect<string | undefined, StartupError>

/** Reads a file whose rows fit into so many free bytes. */
export const readBackup = (
  file: string,
  freeBytes = Number.POSITIVE_INFINITY
): Effect.Effect<ReadLine, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => linesOf(file, freeBytes)),
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

/** The free bytes of the disk on which this folder is, or will be. */
export const freeBytesAt = (directory: string): number => {
  const existing = (at: string): string => (fs.existsSync(at) ? at : existing(path.dirname(at)))
  const { bavail, bsize } = fs.statfsSync(existing(path.resolve(directory)))
  return bavail * bsize
}
