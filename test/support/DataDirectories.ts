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

/** Removes what killed runs left in memory. A run changes its directory every few seconds. */
const removeAbandoned = (): void => {
  for (const name of fs.readdirSync(inMemory).filter((entry) => entry.startsWith(PREFIX))) {
    const directory = path.join(inMemory, name)
    const changed = fs.statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
    if (Date.now() - changed > ABANDONED_MILLIS) fs.rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * Makes the run's directory, which the run removes at its end: in memory, if there is room. A run makes and removes
 * 200,000 files, and ext4 takes up to 1 ms of CPU time for a new file after many were removed.
 */
export const makeRunDirectory = (): string => {
  const isInMemory = hasRoomInMemory()
  if (isInMemory) removeAbandoned()
  const directory = fs.mkdtempSync(path.join(isInMemory ? inMemory : os.tmpdir(), PREFIX))
  // As root, PostgreSQL runs as nobody, who has to get through.
  fs.chmodSync(directory, 0o711)
  process.env[DIRECTORY] = directory
  return directory
}

/** Where tests make the directories of their servers. */
export const dataRoot = (): string => process.env[DIRECTORY] ?? os.tmpdir()
