// @effect-diagnostics globalDate:off
/**
 * Makes the program of a clone for `bin/clone.js`, which starts this: `node scripts/bundle-clone.ts FOLDER`. Processes can
 * make it at once: each makes its own, and the last one counts.
 */
import { globSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { stampOf } from "../bin/clone.js"
import { bundle, packagesOf } from "./Bundle.ts"

/** Running servers have loaded theirs; a command that has just started may still load a part of its own. */
const KEPT_PROGRAMS = 3
/** File systems count time in steps. */
const STEP_MILLIS = 50

const root = fileURLToPath(new URL("../", import.meta.url))
const [cache] = process.argv.slice(2)
if (cache === undefined) throw new Error("the folder is missing")

/** What decides how packages are found and what they are. */
const manifestsOf = (modules: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...packagesOf(modules).map((folder) => join(folder, "package.json")),
  ...["package.json", "package-lock.json", "node_modules/.package-lock.json"].map((file) => join(root, file))
]

const tools = ["bin/clone.js", "scripts/Bundle.ts", "scripts/bundle-clone.ts"].map((file) => join(root, file))

/** No file has this stamp: what changed while it was read is read again at the next start. */
const CHANGING = "changing"

const stampsOf = (files: ReadonlyArray<string>, begun: number) =>
  Object.fromEntries(
    files.map((file) => {
      const found = statSync(file, { throwIfNoEntry: false })
      const isStill = found === undefined || Math.max(found.mtimeMs, found.ctimeMs) < begun - STEP_MILLIS
      return [file, isStill ? stampOf(file) : CHANGING]
    })
  )

const removeOld = (current: string) => {
  const old = globSync(join(cache, "program-*"))
    .filter((folder) => folder !== current)
    .map((folder) => ({ folder, made: statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.made - a.made)
  for (const { folder } of old.slice(KEPT_PROGRAMS - 1)) rmSync(folder, { recursive: true, force: true })
}

const begun = Date.now()
const draft = mkdtempSync(join(cache, "draft-"))
try {
  const { modules, files } = await bundle({
    input: { main: join(root, "src/main.ts") },
    target: draft,
    urlOf: (file) => JSON.stringify(pathToFileURL(file).href),
    hasMaps: true
  })
  // without it Node parses each file twice to find out that it is a module
  writeFileSync(join(draft, "package.json"), '{"type":"module"}')
  const program = basename(draft).replace("draft", "program")
  const folder = join(cache, program)
  renameSync(draft, folder)
  const made = files.map((file) => join(folder, file))
  const stamps = {
    ...stampsOf([...modules, ...manifestsOf(modules), ...tools], begun),
    ...Object.fromEntries(made.map((file) => [file, stampOf(file)]))
  }
  writeFileSync(`${folder}.json`, JSON.stringify({ program, stamps }))
  renameSync(`${folder}.json`, join(cache, "program.json"))
  removeOld(folder)
} finally {
  rmSync(draft, { recursive: true, force: true })
}
