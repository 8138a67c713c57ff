// How a clone runs its source: as few files, because Node loads 1,300 modules in ten times the time. They are kept in
// node_modules/.cache/peyk, and made again as soon as a file that they were made of has changed.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))
const cache = join(root, "node_modules/.cache/peyk")
const bundler = join(root, "scripts/bundle-clone.ts")

/** Another one for every change: nobody can set the time of the last change of a file's content or place. */
export const stampOf = (file) => {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined ? null : `${found.size} ${found.mtimeMs} ${found.ctimeMs}`
}

/** The folder of what was made last, unless one of its files, or of those that it was made of, has changed. */
const findCurrent = () => {
  try {
    const { program, stamps } = JSON.parse(readFileSync(join(cache, "program.json"), "utf8"))
    const folder = join(cache, program)
    const isCurrent = Object.entries(stamps).every(([file, stamp]) => stampOf(file) === stamp)
    return isCurrent && Object.hasOwn(stamps, join(folder, "main.js")) ? folder : null
  } catch {
    // there is none, or another version of Peyk has made it
    return null
  }
}

const canMake = () => {
  try {
    mkdirSync(cache, { recursive: true })
    return existsSync(bundler) && existsSync(join(root, "node_modules/rolldown"))
  } catch {
    return false
  }
}

/** In a process of its own, because it takes a lot of memory for a second. */
const make = async () => {
  const child = spawn(process.execPath, [bundler, cache], { stdio: "ignore" })
  await once(child, "exit")
  return findCurrent()
}

/**
 * The file to run, and where to keep what was compiled of it. Where nothing can be made (a part of the clone without its
 * tools, a folder that cannot be written, an error in the source), it is the source itself.
 */
export const programOfClone = async (onMake) => {
  const current = findCurrent()
  if (current === null && canMake()) onMake()
  const folder = current ?? (canMake() ? await make() : null)
  return folder === null
    ? { main: new URL("../src/main.ts", import.meta.url), compiled: join(cache, "source") }
    : { main: pathToFileURL(join(folder, "main.js")), compiled: join(folder, "compiled") }
}
