import { type ChildProcess, execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { directoryError, EmbeddedPostgresError, errorCode } from "./EmbeddedPostgresError.ts"

/** The user of the server, if it differs from this process's. */
export interface ServerUser {
  readonly uid: number
  readonly gid: number
}

export const nobody: ServerUser = { uid: 65534, gid: 65534 }

/** Owned by root and readable by all users, unlike root's home; only root can write there, unlike /tmp. */
const sharedDirectory = "/var/lib/peyk"

export const isRoot = () => process.getuid?.() === 0

const permits = (user: ServerUser, file: string, bits: number) => {
  const { gid, mode, uid } = fs.statSync(file)
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0
  return ((mode >> shift) & bits) === bits
}

export const canRead = (user: ServerUser | undefined, file: string) =>
  user === undefined || permits(user, file, 0o4)

/** Whether `user` can enter every directory down to `target`, and `target` itself. */
export const canReach = (user: ServerUser | undefined, target: string) => {
  if (user === undefined) return true
  for (let step = fs.realpathSync(target); ; step = path.dirname(step)) {
    if (!permits(user, step, 0o1)) return false
    if (step === path.dirname(step)) return true
  }
}

/** An orphaned initdb may still write to a directory, so removing one is tried this many times. */
const MAX_REMOVALS = 10

const ownWork = new Set<string>()

/** A name next to `target` for work in progress. The process id shows others whether it was abandoned. */
export const workInProgress = (target: string) => {
  const name = `${target}.init-${process.pid}-${randomUUID().slice(0, 8)}`
  ownWork.add(name)
  return name
}

/** A process may have the id of one that died: in a container, each start has the same one. */
const isAbandoned = (file: string, pid: number) => (pid === process.pid ? !ownWork.has(file) : !isAlive(pid))

/** Removes what dead processes left unfinished in `parent`. */
export const removeAbandonedWork = (parent: string, isOurs: (name: string) => boolean) => {
  for (const entry of fs.readdirSync(parent)) {
    const [, name, pid] = /^(.+)\.init-(\d+)-\w+$/.exec(entry) ?? []
    const file = path.join(parent, entry)
    if (name !== undefined && isOurs(name) && isAbandoned(file, Number(pid))) {
      fs.rmSync(file, { recursive: true, force: true, maxRetries: MAX_REMOVALS })
    }
  }
}

export const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === "EPERM"
  }
}

export const ensureSharedDirectory = () => {
  fs.mkdirSync(sharedDirectory, { recursive: true, mode: 0o755 })
  const { mode, uid } = fs.lstatSync(sharedDirectory)
  if (uid !== 0 || (mode & 0o022) !== 0) {
    throw directoryError(sharedDirectory, "must belong to root and be writable by nobody else")
  }
  // mkdir obeys the umask, which may have removed the access that this directory is for
  fs.chmodSync(sharedDirectory, 0o755)
  return sharedDirectory
}

// Nothing of our own environment: PGPORT, PGDATA, PGOPTIONS or a locale would change what is started.
export const serverEnvironment = { LC_ALL: "C", TZ: "UTC" }

const endOf = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) resume(Effect.void)
    else child.once("exit", () => resume(Effect.void))
  })

export const run = (file: string, args: ReadonlyArray<string>, user: ServerUser | undefined) =>
  Effect.callback<void, EmbeddedPostgresError>((resume) => {
    const child = execFile(file, args, { ...user, cwd: "/", env: serverEnvironment }, (error, _, stderr) => {
      if (error === null) return resume(Effect.void)
      const reason = stderr.trim() || error.message
      resume(Effect.fail(new EmbeddedPostgresError({ message: `${path.basename(file)}: ${reason}` })))
    })
    return Effect.suspend(() => {
      child.kill()
      return endOf(child)
    })
  })
