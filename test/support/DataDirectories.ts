// @effect-diagnostics processEnv:off globalDate:off
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/** Where a run keeps the data of its servers; not set outside of it. */
const DIRECTORY = "PEYK_TEST_DATA"

const inMemory = "/dev/shm"
const NEEDED_BYTES = 4 * 2 ** 30
const PREFIX = "peyk-test-"
const ABANDONED_MILLIS = 3_600_000

const freeBytes = (directory: string): number => {
  const { bavail, bsize } = fs.statfsSync(directory)
  return bavail * bsize
}

/** Some tests start programs that they have copied, which Docker's /dev/shm forbids. */
const runsPrograms = (): boolean =>
  !fs
    .readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .some((mount) => mount.split(" ")[1] === inMemory && mount.includes("noexec"))

const hasRoomInMemory = (): boolean =>
  process.platform === "linux" &&
  fs.existsSync(inMemory) &&
  Math.min(freeBytes(inMemory), process.availableMemory()) > NEEDED_BYTES &&
  runsPrograms()

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return Object(error).code === "EPERM"
  }
}

/** Processes of a container cannot be seen from outside, so a directory has to be old, too. */
const isAbandoned = (directory: string, now: number): boolean => {
  const { mtimeMs } = fs.statSync(directory)
  const pid = Number.parseInt(path.basename(directory).slice(PREFIX.length), 10)
  return now - mtimeMs > ABANDONED_MILLIS && !isAlive(pid)
}

/** Removes what killed runs left in memory. */
const removeAbandoned = (now: number): void => {
  for (const name of fs.readdirSync(inMemory).filter((entry) => entry.startsWith(PREFIX))) {
    const directory = path.join(inMemory, name)
    try {
      if (isAbandoned(directory, now)) fs.rmSync(directory, { recursive: true, force: true })
    } catch {
      // Another user's, or removed by another run meanwhile.
    }
  }
}

/** What tests, and the programs that they start, leave in the temporary directory goes with the run's. */
const setTemporaryDirectory = (directory: string): void => {
  fs.mkdirSync(directory)
  // for every user, as the system's is
  fs.chmodSync(directory, 0o1777)
  process.env["TMPDIR"] = directory
}

/**
 * Makes the run's directory, which the run removes at its end: in memory, if there is room. A run makes and removes
 * 200,000 files, and ext4 takes up to 1 ms of CPU time for a new file after many were removed.
 */
export const makeRunDirectory = (): string => {
  if (process.platform === "linux" && fs.existsSync(inMemory)) removeAbandoned(Date.now())
  const root = hasRoomInMemory() ? inMemory : os.tmpdir()
  const directory = fs.mkdtempSync(path.join(root, `${PREFIX}${process.pid}-`))
  // As root, PostgreSQL runs as nobody, who has to get through.
  fs.chmodSync(directory, 0o711)
  process.env[DIRECTORY] = directory
  setTemporaryDirectory(path.join(directory, "tmp"))
  return directory
}

export const hasRunDirectory = (): boolean => process.env[DIRECTORY] !== undefined

/** Where tests make the directories of their servers. */
export const dataRoot = (): string => process.env[DIRECTORY] ?? os.tmpdir()
