import type { TestProject } from "vitest/node"
import { prepareStore } from "./PreparedStore.ts"
import { startServer } from "./Server.ts"
import { SHARED_ENV } from "./SharedServer.ts"
import { prepareSite } from "../support/BuiltSite.ts"

/** One server that files share. */
export default async (project: TestProject) => {
  prepareSite()
  await prepareStore()
  const { url, port, pid, dataDir, env, demo, stop } = await startServer({ env: SHARED_ENV })
  project.provide("sharedServer", { url, port, pid, dataDir, env, demo })
  return stop
}
