/**
 * Loaded into a server before its own code. On SIGUSR2 it collects garbage, and writes the remaining memory and the
 * number of connections to PostgreSQL to a file.
 */
import { renameSync, writeFileSync } from "node:fs"
import { setImmediate as nextTurn } from "node:timers/promises"

const ROUNDS = 3

const file = new URL(import.meta.url).searchParams.get("file") ?? ""

process.on("SIGUSR2", async () => {
  // Objects that the first round frees may have held others.
  for (let round = 0; round < ROUNDS; round += 1) {
    globalThis.gc?.()
    await nextTurn()
  }
  const connections = process.getActiveResourcesInfo().filter((type) => type === "PipeWrap").length
  writeFileSync(`${file}.part`, JSON.stringify({ ...process.memoryUsage(), connections }))
  renameSync(`${file}.part`, file)
})
