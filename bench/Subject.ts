/** The measured programs, each in its own process on one PostgreSQL. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { SubjectName } from "./Options.ts"
import type { Dialect, Target } from "./Requests.ts"

export interface Subject {
  readonly name: SubjectName
  readonly url: string
  readonly dialect: Dialect
  /** Several may serve on one port. */
  readonly pids: ReadonlyArray<number>
  /** The bytes sent since the last call. */
  readonly targets: () => Promise<ReadonlyArray<Target>>
  /** Pauses it, without CPU, until it is resumed: only one subject runs at a time. */
  readonly suspend: () => void
  readonly resume: () => void
  /** Returns when it has ended, and has left the store to the others. */
  readonly stop: () => Promise<void>
}

export interface Program {
  readonly name: SubjectName
  readonly file: string
  readonly nodeOptions?: ReadonlyArray<string>
  readonly port: number
  readonly env: NodeJS.ProcessEnv
  readonly dialect: Dialect
  readonly processes?: number
}

const isReady = (url: string) =>
  fetch(url).then(
    () => true,
    () => false
  )

const awaitReady = async (url: string, child: ChildProcess) => {
  for (let waited = 0; waited < 120; waited += 1) {
    const ready = await isReady(url)
    if (child.exitCode !== null) break
    if (ready) return
    await pause(500)
  }
  throw new Error(`${url} does not answer`)
}

const startProcess = async ({ env, file, nodeOptions = [], port }: Program) => {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
    execArgv: [...process.execArgv, ...nodeOptions],
    env: { ...process.env, NODE_ENV: "production", ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    serialization: "advanced"
  })
  await awaitReady(`http://127.0.0.1:${port}/hello`, child)
  return child
}

const targetsOf = async (child: ChildProcess): Promise<ReadonlyArray<Target>> => {
  if (!child.connected) throw new Error(`a process has ended: ${child.exitCode ?? child.signalCode}`)
  child.send("targets")
  const [reply] = await once(child, "message")
  return reply
}

export const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

export const ended = async (child: ChildProcess) => {
  if (!hasEnded(child)) await once(child, "exit")
}

const LONGEST_STOP_MILLIS = 10_000

/** Also one that is suspended. */
const end = async (child: ChildProcess) => {
  child.kill("SIGTERM")
  child.kill("SIGCONT")
  const gone = ended(child).then(() => true)
  if (!(await Promise.race([gone, pause(LONGEST_STOP_MILLIS, false, { ref: false })]))) child.kill("SIGKILL")
  await gone
}

export const startSubject = async (program: Program): Promise<Subject> => {
  const children: Array<ChildProcess> = []
  while (children.length < (program.processes ?? 1)) children.push(await startProcess(program))
  const signal = (name: NodeJS.Signals) => () => children.forEach((child) => child.kill(name))
  return {
    name: program.name,
    url: `http://127.0.0.1:${program.port}`,
    dialect: program.dialect,
    pids: children.map(({ pid }) => pid ?? 0),
    targets: async () => (await Promise.all(children.map(targetsOf))).flat(),
    suspend: signal("SIGSTOP"),
    resume: signal("SIGCONT"),
    stop: async () => {
      await Promise.all(children.map(end))
    }
  }
}
