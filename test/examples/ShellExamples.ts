/**
 * The shell examples of a document, run by bash as they are written. The tabs of other languages after a
 * block are run by Tabs.slow.test.ts. A comment before a block says what is special about it:
 * `<!-- not run: WHY -->`, or `<!-- runs until: TEXT -->` for a server, which is stopped once it has printed that.
 */
import { spawn } from "node:child_process"

export interface Example {
  readonly script: string
  /** The answer, where the document shows it; `…` stands for any text. */
  readonly answer: unknown
  /** Why it is not run; undefined: it is. */
  readonly notRun: string | undefined
  readonly runsUntil: string | undefined
}

const BLOCKS =
  /(?:<!-- (not run|runs until): ([^\n]*?) -->\n+)?```(?:sh|bash|shell|console)(?: \[[^\]\n]+\])?\n([\s\S]*?)```(?:\n\n```(?!sh\b)\w+ \[[^\]\n]+\]\n[\s\S]*?```)*(?:\n\n```json\n([\s\S]*?)```)?/g

export const examplesIn = (document: string): ReadonlyArray<Example> =>
  [...document.matchAll(BLOCKS)].map(([, mark, text, script = "", answer]) => ({
    script,
    answer: answer === undefined ? undefined : (JSON.parse(answer) as unknown),
    notRun: mark === "not run" ? text : undefined,
    runsUntil: mark === "runs until" ? text : undefined
  }))

/** The line by which an example is called. */
export const nameOf = ({ script }: Example): string =>
  script.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#")) ?? ""

/** The first server that the JavaScript of a document shows, and the file that its commands call it by. */
export const serverIn = (document: string) => {
  const [, code] = /```js\n([\s\S]*?)```/.exec(document) ?? []
  const [, file] = /node (\w+\.mjs)/.exec(document) ?? []
  return code === undefined || file === undefined ? undefined : { code, file }
}

export interface Shell {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

const STOP_ON_ERRORS = "set -e -u -o pipefail\n"
const DEADLINE_MILLIS = 150_000

const start = (script: string, { cwd, env }: Shell) => {
  const child = spawn("bash", ["-c", STOP_ON_ERRORS + script], { cwd, env, detached: true })
  const printed = { out: "", err: "" }
  // The process may be gone by a signal, which leaves no exit code.
  let isClosed = false
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed.out += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed.err += text))
  const endAll = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && !isClosed) process.kill(-child.pid, signal)
  }
  AbortSignal.timeout(DEADLINE_MILLIS).addEventListener("abort", () => endAll("SIGKILL"))
  const closed = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      isClosed = true
      resolve(code)
    })
  })
  return { child, printed, closed, endAll }
}

const failed = (script: string, printed: { readonly out: string; readonly err: string }, why: string) =>
  new Error(`${why}\n${script}\n${printed.out}${printed.err}`)

/** Runs a script to its end with an input; what it printed. A script that fails is an error. */
export const runScript = async (script: string, input: string, shell: Shell): Promise<string> => {
  const { child, printed, closed } = start(script, shell)
  child.stdin.on("error", () => {})
  child.stdin.end(input)
  const code = await closed
  if (code !== 0) throw failed(script, printed, `the example ended with ${code}`)
  return printed.out
}

/** Starts a script that serves, waits until it prints a text, and stops it. */
export const runUntil = async (text: string, script: string, shell: Shell): Promise<void> => {
  const { child, printed, closed, endAll } = start(script, shell)
  const seen = new Promise<boolean>((resolve) => {
    child.stdout.on("data", () => printed.out.includes(text) && resolve(true))
    void closed.then(() => resolve(printed.out.includes(text)))
  })
  const isSeen = await seen
  endAll("SIGTERM")
  await closed
  if (!isSeen) throw failed(script, printed, `the example never printed ${text}`)
}
