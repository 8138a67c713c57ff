// @effect-diagnostics processEnv:off
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { copyDatabase } from "./OwnStore.ts"

/** Where the run keeps a store that has been started once; not set outside of it. */
const DIRECTORY = "PEYK_TEST_STORE"

export const setStoreTemplate = (directory: string): void => {
  process.env[DIRECTORY] = directory
}

export const hasStoreTemplate = (): boolean => process.env[DIRECTORY] !== undefined

/** Copies the prepared store, if there is one: making a new one takes a server half a second of CPU time, and seconds. */
export const copyStoreTemplate = async (dataDir: string): Promise<void> => {
  const template = process.env[DIRECTORY]
  // cp keeps the owner: of root's servers, PostgreSQL runs as nobody
  if (template === undefined) return
  await promisify(execFile)("cp", ["-Rp", `${template}/.`, dataDir])
  await copyDatabase(dataDir)
}
