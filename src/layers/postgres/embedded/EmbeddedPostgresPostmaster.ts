import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Clock, Effect, Schedule } from "effect"
import { isAlive } from "./EmbeddedPostgresAccess.ts"
import { errorCode, withFiles } from "./EmbeddedPostgresError.ts"

interface Postmaster {
  readonly pid: number
  /** starting, ready, stopping; empty very early */
  readonly status: string
}

const lockFiles = ["postmaster.pid", ".s.PGSQL.5432.lock"]
const statusLine = 7

const readIfPresent = (file: string) => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined
    throw error
  }
}

const parsePid = (text: string) => Math.abs(Number.parseInt(text, 10))

export const readPostmaster = (directory: string): Postmaster | undefined => {
  const text = readIfPresent(path.join(directory, "postmaster.pid"))
  if (text === undefined || text === "") return undefined
  return { pid: parsePid(text), status: text.split("\n")[statusLine]?.trim() ?? "" }
}

/** A process's program: empty for a zombie, undefined if we may not look. */
const commandLine = (pid: number): ReadonlyArray<string> | undefined => {
  try {
    return process.platform === "linux"
      ? fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
      : [execFileSync("ps", ["-o", "comm=", "-p", String(pid)], { encoding: "utf8" }).trim()]
  } catch {
    return undefined
  }
}

const isSameDirectory = (directory: string, other: string | undefined) => {
  if (other === undefined || !path.isAbsolute(other)) return true
  try {
    return fs.realpathSync(other) === directory
  } catch {
    return true
  }
}

/**
 * After a crash, and above all in a restarted container, another process can have the number that a lock file left
 * behind; PostgreSQL itself would refuse to start then. In doubt, the process counts as our postmaster.
 */
const mayBePostmaster = (directory: string, pid: number) => {
  const [executable, ...args] = commandLine(pid) ?? ["postgres"]
  const isPostgres = path.basename(executable ?? "") === "postgres"
  return isPostgres && (!args.includes("-D") || isSameDirectory(directory, args[args.indexOf("-D") + 1]))
}

const emptyForMillis = 2000

const isStale = (file: string, text: string, now: number) => {
  // a server fills its lock file at once; only a machine crash leaves an empty one
  if (text === "") return now - fs.statSync(file).mtimeMs > emptyForMillis
  const pid = parsePid(text)
  return isAlive(pid) && !mayBePostmaster(path.dirname(file), pid)
}

/** Moves the file away before deleting it, so that a lock that a new server takes at this moment survives. */
const removeStale = (file: string, text: string) => {
  const aside = `${file}.${randomUUID()}`
  fs.renameSync(file, aside)
  if (fs.readFileSync(aside, "utf8") !== text) fs.linkSync(aside, file)
  fs.unlinkSync(aside)
}

const removeIfStale = (file: string, now: number) => {
  const text = readIfPresent(file)
  try {
    if (text !== undefined && isStale(file, text, now)) removeStale(file, text)
  } catch (error) {
    // another process had the same idea
    if (errorCode(error) !== "ENOENT") throw error
  }
}

/** Removes lock files that only seem to be held. PostgreSQL itself handles those of dead processes. */
export const removeStaleLocks = Effect.fnUntraced(function* (directory: string) {
  const now = yield* Clock.currentTimeMillis
  yield* withFiles(directory, () => {
    for (const name of lockFiles) removeIfStale(path.join(directory, name), now)
  })
})

/** The server that has the directory, as far as its files show. */
export const findPostmaster = (directory: string) => {
  const postmaster = readPostmaster(directory)
  return postmaster !== undefined && isAlive(postmaster.pid) && mayBePostmaster(directory, postmaster.pid)
    ? postmaster
    : undefined
}

const signal = (pid: number, name: "SIGINT" | "SIGQUIT") =>
  Effect.ignore(Effect.try(() => process.kill(pid, name)))

// The file disappears last; a process can linger after it as a zombie that no parent reaps.
const isGone = (directory: string, pid: number) => !isAlive(pid) || readPostmaster(directory)?.pid !== pid

const waitUntilGone = (directory: string, pid: number, limit: "20 seconds" | "5 seconds") =>
  Effect.sync(() => isGone(directory, pid)).pipe(
    Effect.repeat({
      until: (gone) => gone,
      schedule: Schedule.spaced("10 millis").pipe(Schedule.upTo({ duration: limit }))
    }),
    Effect.map(() => isGone(directory, pid))
  )

/** Stops the server in `directory`, no matter which process started it. */
export const stopPostmaster = Effect.fnUntraced(function* (directory: string) {
  const pid = findPostmaster(directory)?.pid
  if (pid === undefined) return
  yield* signal(pid, "SIGINT")
  if (yield* waitUntilGone(directory, pid, "20 seconds")) return
  yield* signal(pid, "SIGQUIT")
  if (yield* waitUntilGone(directory, pid, "5 seconds")) return
  yield* Effect.logWarning(`PostgreSQL (process ${pid}) in ${directory} does not stop`)
})
