// @effect-diagnostics processEnv:off
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Where a run keeps the programs as one file each; not set outside of it. */
const DIRECTORY = "PEYK_TEST_PROGRAMS"

/** The programs that tests start as processes. */
const sources = {
  peyk: "src/main.ts",
  ServeAhead: "test/process/clock/ServeAhead.ts",
  ServeJumping: "test/process/clock/ServeJumping.ts",
  EmbeddedPostgresProcess: "test/layers/postgres/embedded/EmbeddedPostgresProcess.ts"
} as const
export type ProgramName = keyof typeof sources

export const entries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(sources).map(([name, source]) => [name, `${root}${source}`])
)

/** Whether this run has made them. */
export const areBundled = (): boolean => process.env[DIRECTORY] !== undefined

export const setProgramsDirectory = (directory: string): void => {
  process.env[DIRECTORY] = directory
}

const sourceFile = (name: ProgramName): string => `${root}${name === "peyk" ? "bin/peyk.js" : sources[name]}`

/** The file to start a program from: as one file where the run made it, else from the source. */
export const programFile = (name: ProgramName): string => {
  const directory = process.env[DIRECTORY]
  return directory === undefined ? sourceFile(name) : `${directory}/${name}.mjs`
}
