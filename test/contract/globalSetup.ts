import { rmSync } from "node:fs"
import type { TestProject } from "vitest/node"
import { makeDataDir, startServer } from "./Server.ts"
import { bundlePrograms } from "../support/bundlePrograms.ts"
import { setStoreTemplate } from "./StoreTemplate.ts"
import "./SharedServer.ts"

/** Prepares one store for all servers of the run, each of which starts on a copy, and one server that files share. */
export default async (project: TestProject) => {
  await bundlePrograms()
  const directory = await makeDataDir()
  const remove = () => rmSync(directory, { recursive: true, force: true })
  process.once("exit", remove)
  const first = await startServer({ dataDir: directory })
  await first.terminate()
  setStoreTemplate(directory)
  const { url, port, pid, dataDir, env, demo, stop } = await startServer()
  project.provide("sharedServer", { url, port, pid, dataDir, env, demo })
  return async () => {
    await stop()
    process.off("exit", remove)
    remove()
  }
}
