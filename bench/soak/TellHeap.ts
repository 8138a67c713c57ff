/** Loaded into a server before its own code: on SIGUSR2 it collects garbage, and writes down what memory is left in use. */
import { renameSync, writeFileSync } from "node:fs"
import { setImmediate as nextTurn } from "node:timers/promises"

const ROUNDS = 3

const file = new URL(import.meta.url).searchParams.get("file") ?? ""

process.on("SIGUSR2", async () => {
  // What the first round lets go of may be all that held on to something else.
  for (let round = 0; round < ROUNDS; round += 1) {
    globalThis.gc?.()
    await nextTurn()
  }
  writeFileSync(`${file}.part`, JSON.stringify(process.memoryUsage()))
  renameSync(`${file}.part`, file)
})
