/** Programs of the cluster, as processes of this one: started as the user that they need, killed, and gone in the end. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chownSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { now } from "../soak/Time.ts"

/** Where Debian's packages and the programs that they call are. */
const PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

/** PostgreSQL does not run as root. */
export const user =
  process.getuid?.() === 0
    ? {
        uid: Number(execFileSync("id", ["-u", "postgres"], { encoding: "utf8" })),
        gid: Number(execFileSync("id", ["-g", "postgres"], { encoding: "utf8" }))
      }
    : {}

const own = (path: string) => {
  if (user.uid !== undefined) chownSync(path, user.uid, user.gid)
}

/** Its parent has to be there, and open to everybody. */
export const ownDirectory = (path: string): string => {
  mkdirSync(path, { mode: 0o700 })
  own(path)
  return path
}

export const ownFile = (path: string, content: string): string => {
  writeFileSync(path, content, { mode: 0o600 })
  own(path)
  return path
}

export interface Program {
  readonly isRunning: () => boolean
  readonly start: () => void
  /** Returns when it has ended. */
  readonly signal: (signal: "SIGKILL" | "SIGQUIT" | "SIGTERM") => Promise<void>
  /** The end of what it wrote. */
  readonly lastWords: () => string
}

const LAST_WORDS_LENGTH = 1500

/** `log`: the file that gets everything it writes. */
export const makeProgram = (command: string, args: ReadonlyArray<string>, log: string): Program => {
  let child: ChildProcess | undefined
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null
  return {
    isRunning,
    start: () => {
      const output = openSync(log, "a")
      child = spawn(command, args, {
        ...user,
        cwd: dirname(log),
        env: { PATH, HOME: dirname(log), LC_ALL: "C.UTF-8" },
        stdio: ["ignore", output, output],
        detached: true
      })
    },
    signal: async (signal) => {
      if (child === undefined || !isRunning()) return
      const gone = once(child, "exit")
      child.kill(signal)
      await gone
    },
    lastWords: () => (child === undefined ? "" : readFileSync(log, "utf8").slice(-LAST_WORDS_LENGTH))
  }
}

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** `what`: for the error. */
export const until = async (what: string, millis: number, holds: () => Promise<boolean>): Promise<void> => {
  const deadline = now() + millis
  while (!(await holds())) {
    if (now() > deadline) throw new Error(`${what}: not within ${millis} ms`)
    await pause(100)
  }
}
