// @effect-diagnostics processEnv:off
import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { FailureList } from "./test/support/FailureList.ts"
import { LogGatherer } from "./test/support/LogGuard.ts"
import { LongestFirst } from "./test/support/LongestFirst.ts"

/** Tests that start processes: servers, commands, PostgreSQL servers of their own. */
const startProcesses = [
  "contract",
  "console",
  "process",
  "examples",
  "fuzz",
  "clients/packages",
  "layers/postgres/embedded"
].map((folder) => `test/${folder}/**/*.test.ts`)

const inBrowser = ["test/console/browser/**/*.test.ts"]

/** A mock reaches only modules that are loaded after it: these files need a worker of their own. */
const mockModules = [
  "test/layers/network/PublicLookup.test.ts",
  "test/layers/provider/BridgeAccount.test.ts",
  "test/services/webhook/WebhookAddresses.test.ts"
]

/** What `bin/peyk.js` uses too. Workers, and the processes that tests start, inherit it: they load Effect from it. */
const compileCache = fileURLToPath(new URL("./node_modules/.cache/peyk", import.meta.url))
enableCompileCache(compileCache)
process.env["NODE_COMPILE_CACHE"] = compileCache

/**
 * A hook may start a server and a dozen commands, on a machine that runs other tests. What a test polls may take as long
 * as in the helper `until`.
 */
const shared = {
  pool: "forks",
  testTimeout: 30_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 15_000 } }
} as const

/** A worker for each core of CI. With a third, files that wait are faster, but servers miss their deadlines. */
const computing = { ...shared, maxWorkers: 2, sequence: { groupOrder: 0 } } as const
const waiting = { ...shared, maxWorkers: 2, sequence: { groupOrder: 1 } } as const

export default defineConfig({
  test: {
    globalSetup: ["test/support/globalSetup.ts"],
    reporters: ["default", new LogGatherer(), new FailureList()],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        // files share their workers, which load Effect and the program once
        test: {
          ...computing,
          name: "fast",
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...startProcesses, ...mockModules],
          isolate: false
        }
      },
      { test: { ...computing, name: "mocked", include: mockModules } },
      {
        test: {
          ...waiting,
          name: "server",
          include: startProcesses,
          exclude: inBrowser,
          isolate: false,
          globalSetup: ["test/contract/globalSetup.ts"]
        }
      },
      {
        // all files use one browser and one server
        test: {
          ...waiting,
          name: "browser",
          include: inBrowser,
          isolate: false,
          globalSetup: ["test/console/browser/globalSetup.ts"]
        }
      }
    ]
  }
})
