// @effect-diagnostics processEnv:off
/**
 * `npm test`: types, lint, format and the tests that are not slow at once; fails if any of them does, and shows each
 * failure. `npm test -- verification webhook`: only the tests of these subjects, the slow ones too. A subject is a part
 * of a test file's path, or of the path of a source file that a test imports. What follows the first option goes to
 * vitest: `-- contract -t "429"`.
 */
import { spawn } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { buffer } from "node:stream/consumers"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))

interface Outcome {
  readonly name: string
  readonly isSuccess: boolean
  readonly seconds: number
  /** Its output, where that was not shown at once. */
  readonly printed: string
}

const npmRun = (script: string, ...args: ReadonlyArray<string>) => [
  "run",
  "--silent",
  script,
  ...(args.length === 0 ? [] : ["--", ...args])
]

/** Runs a script of package.json; the tests print as they go, the others at the end. */
const runScript = async (name: string, ...args: ReadonlyArray<string>): Promise<Outcome> => {
  const startedAt = performance.now()
  const isShown = name === "vitest"
  const child = spawn("npm", npmRun(name, ...args), {
    cwd: root,
    stdio: isShown ? "inherit" : ["ignore", "pipe", "pipe"]
  })
  const output = Promise.all(
    [child.stdout, child.stderr].map((stream) => (stream === null ? "" : buffer(stream)))
  )
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", resolve)
  })
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return { name, isSuccess: code === 0, seconds, printed: (await output).map(String).join("") }
}

const report = ({ name, isSuccess, seconds, printed }: Outcome) => {
  if (!isSuccess && printed !== "") console.error(`\n${name}:\n${printed.trimEnd()}`)
  console.log(`${isSuccess ? "passed" : "FAILED"}  ${name} (${seconds} s)`)
}

const testFiles = globSync("test/**/*.test.ts", { cwd: root, exclude: ["**/node_modules/**"] })

const importedFrom = (file: string): ReadonlyArray<string> =>
  [...readFileSync(`${root}${file}`, "utf8").matchAll(/from "(?:\.\.\/)+(src\/[^"]+)"/g)].map(
    ([, path = ""]) => path
  )

/** The test files that are about a subject. */
const filesOf = (subject: string): ReadonlyArray<string> => {
  const word = subject.toLowerCase()
  return testFiles.filter((file) =>
    [file, ...importedFrom(file)].some((path) => path.toLowerCase().includes(word))
  )
}

const words = process.argv.slice(2)
const firstOption = words.findIndex((word) => word.startsWith("-"))
const subjects = firstOption === -1 ? words : words.slice(0, firstOption)
const options = words.slice(subjects.length)
/** `npm run test:slow` runs the others; whoever names a subject means all tests of it. */
const projects = subjects.length > 0 || options.includes("--project") ? [] : ["--project", "!slow*"]

const run = async () => {
  const unknown = subjects.filter((subject) => filesOf(subject).length === 0)
  if (unknown.length > 0) {
    console.error(`no test is about ${unknown.join(", ")}`)
    return false
  }
  const files = new Set(subjects.flatMap(filesOf))
  const outcomes = await Promise.all([
    ...(words.length === 0 ? ["types", "lint", "format"] : []).map((name) => runScript(name)),
    runScript("vitest", ...files, ...projects, ...options)
  ])
  outcomes.forEach(report)
  return outcomes.every(({ isSuccess }) => isSuccess)
}

process.exitCode = (await run()) ? 0 : 1
