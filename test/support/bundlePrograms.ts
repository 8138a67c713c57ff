import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"
import { type Plugin, rolldown } from "rolldown"
import { areBundled, entries, setProgramsDirectory } from "./Programs.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
/** The path stays the same, so that V8's code cache of the last run is still good. */
const directory = `${root}node_modules/.cache/peyk-programs`

/** Files that the program reads stand next to its source. */
const keepPlaces: Plugin = {
  name: "keep-places",
  transform: {
    filter: { id: /\.ts$/, code: "import.meta.url" },
    handler: (code, id) => code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
  }
}

const COST = "{ memory: 19_456, passes: 2, parallelism: 1 }"
const CHEAP_COST = "{ memory: 64, passes: 1, parallelism: 1 }"

/** A password's hash takes 50 ms of a core, and tests sign in a thousand times. `bin/peyk.js` has the real cost. */
const cheapHashes = () => {
  let isReplaced = false
  const plugin: Plugin = {
    name: "cheap-hashes",
    transform: {
      filter: { code: `CURRENT_COST: HashCost = ${COST}` },
      handler: (code) => {
        isReplaced = true
        return code.replace(COST, CHEAP_COST)
      }
    }
  }
  const check = () => {
    if (!isReplaced)
      throw new Error(`no file has “CURRENT_COST: HashCost = ${COST}”: what should be cheaper now?`)
  }
  return { plugin, check }
}

/** Another run may start the file meanwhile: it finds the whole old one or the whole new one. */
const replaceFile = (name: string, content: string | Uint8Array) => {
  const file = `${directory}/${name}`
  if (existsSync(file) && readFileSync(file).equals(Buffer.from(content))) return
  const made = `${file}.${process.pid}`
  writeFileSync(made, content)
  renameSync(made, file)
}

/** Bundles the programs that tests start: Node loads one file in 0.3 s of CPU time, and 1,000 modules in 1.4 s. */
export const bundlePrograms = async (): Promise<void> => {
  if (areBundled()) return
  const { plugin, check } = cheapHashes()
  const bundle = await rolldown({
    input: { ...entries },
    platform: "node",
    plugins: [keepPlaces, plugin],
    logLevel: "silent"
  })
  const { output } = await bundle.generate({
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name].mjs"
  })
  await bundle.close()
  check()
  mkdirSync(directory, { recursive: true })
  for (const file of output) {
    replaceFile(file.fileName, file.type === "chunk" ? file.code : file.source)
  }
  setProgramsDirectory(directory)
}
