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
  "site/browser",
  "process",
  "examples",
  "fuzz",
  "clients/packages",
  "layers/postgres/embedded"
].map((folder) => `test/${folder}/**/*.test.ts`)

const inBrowser = ["console", "site"].map((folder) => `test/${folder}/browser/**/*.test.ts`)

/** What takes long and seldom breaks: `npm run test:slow`. CI runs it. */
const SLOW = ".slow.test.ts"
const slow = [`test/**/*${SLOW}`]
const slowOf = (files: ReadonlyArray<string>) => files.map((each) => each.replace(".test.ts", SLOW))
const underLoad = slowOf(["test/process/**/*.test.ts"])

/** What `bin/peyk.js` uses too. Workers, and the processes that tests start, inherit it: they load Effect from it. */
const compileCache = fileURLToPath(new URL("./node_modules/.cache/peyk", import.meta.url))
enableCompileCache(compileCache)
process.env["NODE_COMPILE_CACHE"] = compileCache

/**
 * Each test builds the services of a process and drops them: with room for young objects they die before they are
 * collected.
 */
const workerFlags: Array<string> = ["--max-semi-space-size=32"]

/**
 * Node loads modules itself, from its compile cache: Vite's runner takes a second more in each worker. A hook may start a
 * server and a dozen commands, on a machine that runs other tests. What a test polls may take as long as in the helper
 * `until`.
 */
const shared = {
  pool: "forks",
  execArgv: workerFlags,
  experimental: { viteModuleRunner: false, nodeLoader: false },
  testTimeout: 30_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 15_000 } }
} as const

/** More than the two cores of CI: these files also wait, for PostgreSQL, and twice as much for servers and for time to pass. */
const computing = { ...shared, maxWorkers: 3, sequence: { groupOrder: 0 } } as const
const waiting = { ...shared, maxWorkers: 4, sequence: { groupOrder: 1 } } as const
const waitingLong = { ...shared, maxWorkers: 3, sequence: { groupOrder: 2 } } as const
/** Servers under load, which miss their deadlines where a third file runs. */
const loading = { ...shared, maxWorkers: 2, sequence: { groupOrder: 3 } } as const

const serverSetUp = "test/contract/globalSetup.ts"
const browserSetUp = "test/console/browser/globalSetup.ts"

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
          exclude: ["**/node_modules/**", ...startProcesses, ...slow],
          isolate: false
        }
      },
      {
        test: {
          ...waiting,
          name: "server",
          include: startProcesses,
          exclude: [...inBrowser, ...slow],
          isolate: false,
          globalSetup: [serverSetUp]
        }
      },
      {
        // all files use one browser and one server
        test: {
          ...waiting,
          name: "browser",
          include: inBrowser,
          exclude: slow,
          isolate: false,
          globalSetup: [browserSetUp]
        }
      },
      {
        test: {
          ...waitingLong,
          name: "slow",
          include: slow,
          exclude: ["**/node_modules/**", ...slowOf(startProcesses)],
          isolate: false
        }
      },
      {
        test: {
          ...waitingLong,
          name: "slow-server",
          include: slowOf(startProcesses),
          exclude: [...slowOf(inBrowser), ...underLoad],
          isolate: false,
          globalSetup: [serverSetUp]
        }
      },
      {
        test: {
          ...waitingLong,
          name: "slow-browser",
          include: slowOf(inBrowser),
          isolate: false,
          globalSetup: [browserSetUp]
        }
      },
      {
        test: {
          ...loading,
          name: "slow-load",
          include: underLoad,
          isolate: false,
          globalSetup: [serverSetUp]
        }
      }
    ]
  }
})
