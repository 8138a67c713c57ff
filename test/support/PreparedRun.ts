import * as fs from "node:fs"
import * as path from "node:path"
import { dataRoot, hasRunDirectory, makeRunDirectory } from "./DataDirectories.ts"
import { guardLogs } from "./LogGuard.ts"

/** A signal ends vitest without a teardown, and the server, in a session of its own, would stay. */
const stopAbruptly = (directory: string) => {
  const lock = path.join(directory, "postgres", "postmaster.pid")
  if (fs.existsSync(lock)) process.kill(Number.parseInt(fs.readFileSync(lock, "utf8"), 10), "SIGQUIT")
}

/** Vitest ends this set-up before those of the projects, whose servers log until they stop: the logs stay until the exit. */
const endWithProcess = (directory: string) => {
  const searchLogs = guardLogs(path.join(directory, "logs"))
  const onExit = () => {
    searchLogs()
    stopAbruptly(directory)
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
  }
  const onSignal = () => process.exit(1)
  process.once("exit", onExit).once("SIGINT", onSignal).once("SIGTERM", onSignal)
}

/** Vitest sets up some projects before the run itself: the first set-up makes the run's directory, for all. */
export const prepareRun = (): string => {
  if (hasRunDirectory()) return dataRoot()
  const directory = makeRunDirectory()
  endWithProcess(directory)
  return directory
}
