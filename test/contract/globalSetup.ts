import { rmSync } from "node:fs"
import { makeDataDir, startServer } from "./Server.ts"
import { setStoreTemplate } from "./StoreTemplate.ts"

/** Prepares one store for all servers of the run: each starts on a copy, with the demo customer in it. */
export default async () => {
  const directory = await makeDataDir()
  const remove = () => rmSync(directory, { recursive: true, force: true })
  process.once("exit", remove)
  const server = await startServer({ dataDir: directory })
  await server.terminate()
  setStoreTemplate(directory)
  return () => {
    process.off("exit", remove)
    remove()
  }
}
