import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { removeAbandonedWork, run, workInProgress } from "./EmbeddedPostgresAccess.ts"
import type { Binaries } from "./EmbeddedPostgresBinaries.ts"
import { directoryError, errorCode, withFiles } from "./EmbeddedPostgresError.ts"
import { keepPasswordDraft, makePassword, writePasswordDraft } from "./EmbeddedPostgresPassword.ts"
import type { Place } from "./EmbeddedPostgresPlace.ts"

/** Removes the files of a first start that died, with the password that it had made. */
export const removeAbandonedStarts = (place: Place) => {
  const name = path.basename(place.directory)
  removeAbandonedWork(path.dirname(place.directory), (other) => place.link !== undefined || other === name)
}

const makeTemporary = (place: Place) => {
  removeAbandonedStarts(place)
  const temporary = workInProgress(place.directory)
  fs.mkdirSync(temporary, { mode: 0o700 })
  if (place.user !== undefined) fs.chownSync(temporary, place.user.uid, place.user.gid)
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
const publish = (place: Place, temporary: string) => {
  try {
    fs.renameSync(temporary, place.directory)
    if (place.link !== undefined) linkTo(place.directory, place.link)
    return true
  } catch (error) {
    if (place.link !== undefined) discard(place.directory)
    if (!isLostRace(error)) throw error
    return false
  }
}

const discard = (directory: string) => fs.rmSync(directory, { recursive: true, force: true })

const initArguments = ["-U", "postgres", "--auth=scram-sha-256", "-E", "UTF8", "--no-locale"]

/** With a password from the beginning. */
const initialise = (place: Place, initdb: string, directory: string, flags: ReadonlyArray<string>) => {
  const initWith = (draft: string) =>
    run(initdb, ["-D", directory, ...initArguments, `--pwfile=${draft}`, ...flags], place.user).pipe(
      Effect.mapError(({ message }) =>
        directoryError(place.requested, `could not be made a PostgreSQL database: ${message}`)
      )
    )
  return Effect.acquireUseRelease(
    withFiles(place.requested, () => {
      const draft = workInProgress(place.directory)
      writePasswordDraft(draft, makePassword(), place.user)
      return draft
    }),
    (draft) =>
      Effect.andThen(
        initWith(draft),
        withFiles(place.requested, () => keepPasswordDraft(draft, directory, place.user))
      ),
    (draft) => Effect.sync(() => discard(draft))
  )
}

export const createCluster = Effect.fnUntraced(function* (
  place: Place,
  { initdb }: Binaries,
  flags: ReadonlyArray<string>
) {
  const isOurs = yield* Effect.acquireUseRelease(
    withFiles(place.requested, () => makeTemporary(place)),
    (temporary) =>
      Effect.andThen(
        initialise(place, initdb, temporary, flags),
        withFiles(place.requested, () => publish(place, temporary))
      ),
    (temporary) => Effect.sync(() => discard(temporary))
  )
  if (isOurs && place.link !== undefined) {
    const why = "PostgreSQL runs as an ordinary user, who cannot enter the link's parents"
    yield* Effect.logInfo(`The database files of ${place.link} are in ${place.directory}: ${why}`)
  }
})
