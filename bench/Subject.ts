/** The programs that are measured, each a process of its own on one PostgreSQL. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"

export interface Subject {
  readonly name: string
  readonly url: string
  readonly key: string
  readonly pid: number
  /** The code that each phone was last given since the last time this was asked. */
  readonly codes: () => Promise<ReadonlyMap<string, string>>
  /** Does nothing, and takes no CPU, until resumed: only one subject runs at a time. */
  readonly suspend: () => void
  readonly resume: () => void
  readonly stop: () => Promise<void>
}

interface Program {
  readonly name: string
  readonly file: string
  readonly port: number
  readonly env: NodeJS.ProcessEnv
  /** The key to use, once the program answers. */
  readonly key: () => string
}

const isReady = (url: string) =>
  fetch(url).then(
    () => true,
    () => false
  )

const awaitReady = async (url: string, child: ChildProcess) => {
  for (let waited = 0; waited < 120; waited += 1) {
    if (await isReady(url)) return
    if (child.exitCode !== null) break
    await pause(500)
  }
  throw new Error(`${url} does not answer`)
}

export const startSubject = async ({ name, file, port, env, key }: Program): Promise<Subject> => {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"]
  })
  const url = `http://127.0.0.1:${port}`
  await awaitReady(`${url}/hello`, child)
  return {
    name,
    url,
    key: key(),
    pid: child.pid ?? 0,
    codes: async () => {
      child.send("codes")
      const [told] = await once(child, "message")
      return new Map(told)
    },
    suspend: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    stop: async () => {
      const ended = once(child, "exit")
      child.kill("SIGCONT")
      child.kill("SIGTERM")
      await ended
    }
  }
}

/** The fields of proc(5)'s stat from the state on; Linux only, else null. */
const statOf = (pid: number | string): ReadonlyArray<string> | null => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? null
  } catch {
    return null
  }
}

const PARENT = 1
/** Its own time as user and system, and that of its ended children. */
const TIMES = [11, 12, 13, 14]
const secondsOf = (stat: ReadonlyArray<string>) =>
  TIMES.reduce((sum, field) => sum + Number(stat[field]), 0) / 100

/** CPU seconds that a process has used so far, its ended children included. */
export const cpuSeconds = (pid: number): number | null => {
  const stat = statOf(pid)
  return stat === null ? null : secondsOf(stat)
}

/** The same for a process with all its children: PostgreSQL has one for each connection. */
export const familyCpuSeconds = (pid: number): number | null => {
  const own = cpuSeconds(pid)
  if (own === null) return null
  const stats = readdirSync("/proc").map((name) => (/^\d+$/.test(name) ? statOf(name) : null))
  const children = stats.filter((stat) => stat !== null && stat[PARENT] === String(pid))
  return children.reduce((sum, stat) => sum + (stat === null ? 0 : secondsOf(stat)), own)
}

/** Resident megabytes; Linux only, else null. */
export const residentMegabytes = (pid: number): number | null => {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")
    return (Number(pages) * 4096) / 2 ** 20
  } catch {
    return null
  }
}
