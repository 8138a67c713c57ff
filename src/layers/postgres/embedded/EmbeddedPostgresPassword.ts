import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Redacted } from "effect"
import { nobody, type ServerUser } from "./EmbeddedPostgresAccess.ts"
import { directoryError, errorCode, withFiles } from "./EmbeddedPostgresError.ts"

const PASSWORD_BYTES = 32

export const passwordFileIn = (directory: string) => path.join(directory, "peyk.password")

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

/** The password of the cluster's only role. */
export const readPassword = (directory: string): Redacted.Redacted => {
  const file = passwordFileIn(directory)
  try {
    const { O_NOFOLLOW, O_RDONLY } = fs.constants
    return Redacted.make(fs.readFileSync(file, { encoding: "utf8", flag: O_RDONLY | O_NOFOLLOW }).trim())
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error
    const remedy = "bring it back; a database of a development version of Peyk has none, and cannot be used"
    throw directoryError(directory, `lacks its password, ${file}: ${remedy}`)
  }
}

export const passwordIn = (directory: string) => withFiles(directory, () => readPassword(directory))
