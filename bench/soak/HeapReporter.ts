/**
 * Loaded into a server before its own code: on SIGUSR2 it collects garbage, and writes down what memory is left in use, and
 * how many connections there are to PostgreSQL: by a path, as nothing else's are.
 */
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
  const connections = process.getActiveResourcesInfo().filter((type) => type === "PipeWrap").length
  writeFileSync(`${file}.part`, JSON.stringify({ ...process.memoryUsage(), connections }))
  renameSync(`${file}.part`, file)
})
