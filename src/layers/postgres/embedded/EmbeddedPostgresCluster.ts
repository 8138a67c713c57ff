import * as fs from "node:fs"
import { totalmem } from "node:os"
import * as path from "node:path"
import { Effect } from "effect"
import { removeAbandonedWork, run, workInProgress } from "./EmbeddedPostgresAccess.ts"
import type { Binaries } from "./EmbeddedPostgresBinaries.ts"
import { directoryError, errorCode, withFiles } from "./EmbeddedPostgresError.ts"
import { keepPasswordDraft, makePassword, writePasswordDraft } from "./EmbeddedPostgresPassword.ts"
import type { DataDirectory } from "./EmbeddedPostgresDirectory.ts"

/** Removes the files of a first start that died, with the password that it had made. */
export const removeAbandonedStarts = (data: DataDirectory) => {
  const name = path.basename(data.directory)
  removeAbandonedWork(path.dirname(data.directory), (other) => data.link !== undefined || other === name)
}

const makeTemporary = (data: DataDirectory) => {
  removeAbandonedStarts(data)
  const temporary = workInProgress(data.directory)
  fs.mkdirSync(temporary, { mode: 0o700 })
  if (data.user !== undefined) fs.chownSync(temporary, data.user.uid, data.user.gid)
  return temporary
}

const isLostRace = (error: unknown) => ["EEXIST", "ENOTEMPTY"].includes(errorCode(error) ?? "")

const removeEmptyDirectory = (directory: string) => {
  try {
    fs.rmdirSync(directory)
  } catch (error) {
    // gone, or already another process's link: the caller's next step finds out
    if (!["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) throw error
  }
}

const linkTo = (directory: string, link: string) => {
  removeEmptyDirectory(link)
  fs.symlinkSync(directory, link)
}

/** One rename makes the complete cluster appear; of two first starts, the later one discards its own. */
const publish = (data: DataDirectory, temporary: string) => {
  try {
    fs.renameSync(temporary, data.directory)
    if (data.link !== undefined) linkTo(data.directory, data.link)
    return true
  } catch (error) {
    if (data.link !== undefined) discard(data.directory)
    if (!isLostRace(error)) throw error
    return false
  }
}

const discard = (directory: string) => fs.rmSync(directory, { recursive: true, force: true })

const MEBI = 2 ** 20
const [LEAST_BUFFERS, MOST_BUFFERS] = [128, 512]

/** What PostgreSQL keeps of its pages, in MB: a sixteenth of the memory, which it shares with Peyk and others. */
export const sharedBuffersFor = (memory: number): number =>
  Math.min(MOST_BUFFERS, Math.max(LEAST_BUFFERS, Math.floor(memory / 16 / MEBI)))

const memoryHere = () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)

/** In `postgresql.conf`, where an operator may change it. */
const sharedBuffers = () => `shared_buffers=${sharedBuffersFor(memoryHere())}MB`

const initArguments = ["-U", "postgres", "--auth=scram-sha-256", "-E", "UTF8", "--no-locale"]

/** With a password from the beginning. */
const initialise = (data: DataDirectory, initdb: string, directory: string, flags: ReadonlyArray<string>) => {
  const initWith = (draft: string) =>
    run(
      initdb,
      ["-D", directory, ...initArguments, "-c", sharedBuffers(), `--pwfile=${draft}`, ...flags],
      data.user
    ).pipe(
      Effect.mapError(({ message }) =>
        directoryError(data.requested, `could not be made a PostgreSQL database: ${message}`)
      )
    )
  return Effect.acquireUseRelease(
    withFiles(data.requested, () => {
      const draft = workInProgress(data.directory)
      writePasswordDraft(draft, makePassword(), data.user)
      return draft
    }),
    (draft) =>
      Effect.andThen(
        initWith(draft),
        withFiles(data.requested, () => keepPasswordDraft(draft, directory, data.user))
      ),
    (draft) => Effect.sync(() => discard(draft))
  )
}

export const createCluster = Effect.fnUntraced(function* (
  data: DataDirectory,
  { initdb }: Binaries,
  flags: ReadonlyArray<string>
) {
  const isOurs = yield* Effect.acquireUseRelease(
    withFiles(data.requested, () => makeTemporary(data)),
    (temporary) =>
      Effect.andThen(
        initialise(data, initdb, temporary, flags),
        withFiles(data.requested, () => publish(data, temporary))
      ),
    (temporary) => Effect.sync(() => discard(temporary))
  )
  if (isOurs && data.link !== undefined) {
    const why = "PostgreSQL runs as an ordinary user, who cannot enter the link's parents"
    yield* Effect.logInfo(`The database files of ${data.link} are in ${data.directory}: ${why}`)
  }
})
