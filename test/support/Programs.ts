// @effect-diagnostics processEnv:off
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Where a run keeps the programs as one file each; not set outside of it. */
const DIRECTORY = "PEYK_TEST_PROGRAMS"

/** The programs that tests start as processes. */
const sources = {
  peyk: { entry: "src/main.ts", command: "bin/peyk.js" },
  ServeAhead: {
    entry: "test/process/clock/ServeAhead.ts",
    command: "test/process/clock/ServeAhead.ts"
  },
  ServeJumping: {
    entry: "test/process/clock/ServeJumping.ts",
    command: "test/process/clock/ServeJumping.ts"
  }
} as const
export type ProgramName = keyof typeof sources

export const entries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(sources).map(([name, { entry }]) => [name, `${root}${entry}`])
)

/** Whether this run has made them. */
export const areBundled = (): boolean => process.env[DIRECTORY] !== undefined

export const setProgramsDirectory = (directory: string): void => {
  process.env[DIRECTORY] = directory
}

/** The file to start a program from: as one file where the run made it, else from the source. */
export const programFile = (name: ProgramName): string => {
  const directory = process.env[DIRECTORY]
  return directory === undefined ? `${root}${sources[name].command}` : `${directory}/${name}.mjs`
}
