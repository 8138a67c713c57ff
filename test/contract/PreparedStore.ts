import { bundlePrograms } from "../support/bundlePrograms.ts"
import { prepareRun } from "../support/PreparedRun.ts"
import { makeDataDir, startServer } from "./Server.ts"
import { hasStoreTemplate, setStoreTemplate } from "./StoreTemplate.ts"

/** Prepares one store for all servers of the run, each of which starts on a copy. */
export const prepareStore = async (): Promise<void> => {
  prepareRun()
  await bundlePrograms()
  if (hasStoreTemplate()) return
  const directory = await makeDataDir()
  const first = await startServer({ dataDir: directory })
  await first.terminate()
  setStoreTemplate(directory)
}
