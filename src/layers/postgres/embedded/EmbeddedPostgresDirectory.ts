import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { canReach, ensureSharedDirectory, isRoot, nobody, type ServerUser } from "./EmbeddedPostgresAccess.ts"
import { directoryError, errorCode, withFiles } from "./EmbeddedPostgresError.ts"

const majorVersion = "18"
const socketName = ".s.PGSQL.5432"
// 104 bytes with the final zero on macOS, 108 on Linux
const socketPathLimit = 103

/** Where the cluster is or will be. */
export interface DataDirectory {
  readonly requested: string
  readonly directory: string
  readonly user: ServerUser | undefined
  readonly isCluster: boolean
  /** The link to a new cluster that had to be placed elsewhere. */
  readonly link: string | undefined
}

export const socketPathIn = (directory: string) => path.join(directory, socketName)

const existing = (file: string) => fs.lstatSync(file, { throwIfNoEntry: false })

/** Whether anything exists that `chooseDataDirectory` would use, or refuse with a reason. */
export const isPresent = (directory: string): boolean => {
  if (existing(directory)?.isSymbolicLink() === true) return true
  try {
    return fs.readdirSync(directory).length > 0
  } catch (error) {
    return errorCode(error) !== "ENOENT"
  }
}

/** Unlike mkdir's own recursion, this ends on file systems such as /proc, where nothing can be created. */
const makeDirectories = (directory: string) => {
  if (fs.existsSync(directory)) return
  makeDirectories(path.dirname(directory))
  try {
    fs.mkdirSync(directory)
  } catch (error) {
    // another process was faster
    if (errorCode(error) !== "EEXIST") throw error
  }
}

const resolveLink = (requested: string) => {
  if (existing(requested)?.isSymbolicLink() !== true) {
    return path.join(fs.realpathSync(path.dirname(requested)), path.basename(requested))
  }
  const target = fs.readlinkSync(requested)
  if (!fs.existsSync(requested)) {
    const remedy = "bring that back, or remove the link to begin with an empty database"
    throw directoryError(requested, `is a symbolic link to ${target}, which does not exist: ${remedy}`)
  }
  return fs.realpathSync(requested)
}

const checkOwner = (requested: string, { uid }: fs.Stats) => {
  const ours = process.getuid?.()
  if (ours === 0 && uid === 0) {
    const remedy = `give it to an ordinary user: chown -R ${nobody.uid}:${nobody.gid}`
    throw directoryError(requested, `belongs to root, as whom PostgreSQL refuses to run; ${remedy}`)
  }
  if (ours !== 0 && ours !== uid) {
    throw directoryError(requested, `belongs to another user (uid ${uid}); run as that user, or as root`)
  }
}

const checkVersion = (requested: string, directory: string) => {
  const version = fs.readFileSync(path.join(directory, "PG_VERSION"), "utf8").trim()
  if (version !== majorVersion) {
    const remedy = `dump it with PostgreSQL ${version} and restore it into a new one`
    throw directoryError(
      requested,
      `holds a PostgreSQL ${version} database, this is PostgreSQL ${majorVersion}: ${remedy}`
    )
  }
}

const listEntries = (requested: string, directory: string, stats: fs.Stats) => {
  try {
    return fs.readdirSync(directory)
  } catch (error) {
    checkOwner(requested, stats)
    throw error
  }
}

/** Whether there is a cluster; refuses any other directory that is not empty. */
const checkContents = (requested: string, directory: string) => {
  const stats = existing(directory)
  if (stats === undefined) return false
  if (!stats.isDirectory()) throw directoryError(requested, "is a file, not a directory")
  const entries = listEntries(requested, directory, stats)
  if (entries.length === 0) return false
  if (!entries.includes("PG_VERSION")) {
    throw directoryError(requested, "is not empty, and not a PostgreSQL database either")
  }
  checkOwner(requested, stats)
  checkVersion(requested, directory)
  return true
}

const checkSocketPath = (requested: string, directory: string) => {
  const bytes = Buffer.byteLength(socketPathIn(directory))
  if (bytes > socketPathLimit) {
    const limit = `${socketPathLimit} bytes, and ${socketName} in it needs ${bytes}`
    throw directoryError(requested, `has too long a path: a unix socket may have ${limit}`)
  }
}

/** As root, the server runs as the owner of the existing files, or else as nobody. */
const chooseUser = (directory: string, isCluster: boolean): ServerUser | undefined => {
  if (!isRoot()) return undefined
  if (!isCluster) return nobody
  const { gid, uid } = fs.statSync(directory)
  return { uid, gid }
}

const checkCharacters = (requested: string) => {
  // postmaster.pid holds the path on a line of its own
  if (!/\p{Cc}/u.test(requested)) return
  throw directoryError(JSON.stringify(requested), "has a line break or another control character in its path")
}

const elsewhere = () => path.join(ensureSharedDirectory(), randomUUID().slice(0, 8))

const existingDirectory = (requested: string, directory: string): DataDirectory => {
  const user = chooseUser(directory, true)
  if (!canReach(user, directory)) {
    const owner = `uid ${user?.uid}, as whom PostgreSQL runs`
    throw directoryError(requested, `cannot be reached by its owner (${owner}): chmod o+x its parents`)
  }
  return { requested, directory, user, isCluster: true, link: undefined }
}

const newDirectory = (requested: string, found: string): DataDirectory => {
  const user = chooseUser(found, false)
  const isReachable = canReach(user, path.dirname(found))
  const directory = isReachable ? found : elsewhere()
  return { requested, directory, user, isCluster: false, link: isReachable ? undefined : found }
}

export const chooseDataDirectory = (directory: string) =>
  withFiles(path.resolve(directory), () => {
    const requested = path.resolve(directory)
    checkCharacters(requested)
    makeDirectories(path.dirname(requested))
    const found = resolveLink(requested)
    const isCluster = checkContents(requested, found)
    const data = isCluster ? existingDirectory(requested, found) : newDirectory(requested, found)
    checkSocketPath(requested, data.directory)
    return data
  })
