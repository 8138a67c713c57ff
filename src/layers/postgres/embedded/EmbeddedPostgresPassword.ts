import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Redacted } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { nobody, type ServerUser } from "./EmbeddedPostgresAccess.ts"
import { directoryError, type EmbeddedPostgresError, errorCode, withFiles } from "./EmbeddedPostgresError.ts"

const PASSWORD_BYTES = 32
const SCRAM_ITERATIONS = 4096

export const passwordFileIn = (directory: string) => path.join(directory, "peyk.password")
const accessFileIn = (directory: string) => path.join(directory, "pg_hba.conf")

const ACCESS_RULES = `# Written by Peyk: connections need the password in peyk.password.
local all all scram-sha-256
local replication all scram-sha-256
`

export const makePassword = (): Redacted.Redacted =>
  Redacted.make(randomBytes(PASSWORD_BYTES).toString("base64url"))

/**
 * Other processes of `nobody` must not read the password: if root starts a server of `nobody`, the file stays root's.
 */
const passwordOwner = (user: ServerUser | undefined): ServerUser | undefined =>
  user?.uid === nobody.uid ? { uid: 0, gid: 0 } : user

/** The directory's owner can have fewer rights than we do: never give away what they have put in the file's place. */
const writeNew = (file: string, text: string, owner: ServerUser | undefined) => {
  const descriptor = fs.openSync(file, "wx", 0o600)
  try {
    fs.writeFileSync(descriptor, text)
    if (owner !== undefined) fs.fchownSync(descriptor, owner.uid, owner.gid)
    // Rules that ask for a password must not outlive it in a power failure.
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** For initdb, which reads it as `user`. */
export const writePasswordDraft = (
  draft: string,
  password: Redacted.Redacted,
  user: ServerUser | undefined
) => writeNew(draft, `${Redacted.value(password)}\n`, user)

export const keepPasswordDraft = (draft: string, directory: string, user: ServerUser | undefined) => {
  const owner = passwordOwner(user)
  if (owner !== undefined) fs.lchownSync(draft, owner.uid, owner.gid)
  fs.renameSync(draft, passwordFileIn(directory))
}

/** The password of the cluster's only role; undefined in a cluster of an earlier version, which had none. */
export const readPassword = (directory: string): Redacted.Redacted | undefined => {
  try {
    const { O_NOFOLLOW, O_RDONLY } = fs.constants
    const text = fs.readFileSync(passwordFileIn(directory), { encoding: "utf8", flag: O_RDONLY | O_NOFOLLOW })
    return Redacted.make(text.trim())
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined
    throw error
  }
}

/** Clusters of earlier versions admit every process of their user. */
const trustsAnybody = (directory: string) =>
  /^\s*(local|host\w*)\s.*\btrust\b/m.test(fs.readFileSync(accessFileIn(directory), "utf8"))

/** The rules are read first: a process that writes them has stored the password before. */
export const checkPassword = (directory: string) =>
  withFiles(directory, () => {
    if (trustsAnybody(directory) || readPassword(directory) !== undefined) return
    const remedy =
      "bring it back, or replace pg_hba.conf there by the line “local all all trust”: the next start makes another password"
    throw directoryError(directory, `lacks its password, ${passwordFileIn(directory)}; ${remedy}`)
  })

/** The form in which PostgreSQL stores a password (RFC 5803); computed here, so that no statement contains the password. */
const scramVerifier = (password: string) => {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, "sha256")
  const keyOf = (name: string) => createHmac("sha256", salted).update(name).digest()
  const storedKey = createHash("sha256").update(keyOf("Client Key")).digest("base64")
  const serverKey = keyOf("Server Key").toString("base64")
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString("base64")}$${storedKey}:${serverKey}`
}

const replace = (file: string, text: string, owner: ServerUser | undefined) => {
  const draft = `${file}.${process.pid}`
  fs.rmSync(draft, { force: true })
  writeNew(draft, text, owner)
  fs.renameSync(draft, file)
}

const needsPassword = (directory: string) =>
  withFiles(directory, () => trustsAnybody(directory) || readPassword(directory) === undefined)

/** In this order, each step can be the last before a crash: the next start repeats them. */
const convert = Effect.fnUntraced(function* (
  directory: string,
  user: ServerUser | undefined,
  sql: SqlClient.SqlClient
) {
  const password = (yield* withFiles(directory, () => readPassword(directory))) ?? makePassword()
  yield* sql.unsafe(`alter role postgres password '${scramVerifier(Redacted.value(password))}'`)
  yield* withFiles(directory, () => {
    replace(passwordFileIn(directory), `${Redacted.value(password)}\n`, passwordOwner(user))
    replace(accessFileIn(directory), ACCESS_RULES, user)
  })
  yield* sql.unsafe("select pg_reload_conf()")
  yield* Effect.logInfo(`The embedded PostgreSQL in ${directory} takes connections with its password only`)
})

/** Gives a cluster of an earlier version a password, and makes it ask for that from now on. */
export const requirePassword = Effect.fnUntraced(function* (
  { directory, user }: { readonly directory: string; readonly user: ServerUser | undefined },
  sql: SqlClient.SqlClient,
  alone: <A>(
    work: Effect.Effect<A, EmbeddedPostgresError | SqlError.SqlError>
  ) => Effect.Effect<A, EmbeddedPostgresError | SqlError.SqlError>
) {
  if (!(yield* needsPassword(directory))) return
  yield* alone(
    Effect.flatMap(needsPassword(directory), (needed) =>
      needed ? convert(directory, user, sql) : Effect.void
    )
  )
})
