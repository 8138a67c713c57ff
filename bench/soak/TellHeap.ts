/** Loaded into a server before its own code: on SIGUSR2 it collects garbage, and writes down what memory is left in use. */
import { renameSync, writeFileSync } from "node:fs"

const file = new URL(import.meta.url).searchParams.get("file") ?? ""

process.on("SIGUSR2", () => {
  globalThis.gc?.()
  writeFileSync(`${file}.part`, JSON.stringify(process.memoryUsage()))
  renameSync(`${file}.part`, file)
})
