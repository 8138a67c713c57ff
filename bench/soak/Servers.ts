/** The server processes: started, killed, stopped and continued, restarted, on ports that stay theirs. */
import { type ChildProcess, spawn } from "node:child_process"
import { openSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { programFile } from "../../test/support/Programs.ts"
import { ended, hasEnded } from "../Subject.ts"
import type { Disturbances, Span } from "./Disturbances.ts"
import { readStalls } from "./Stalls.ts"
import { now } from "./Time.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const READY_MILLIS = 60_000
const MEMORY_MILLIS = 10_000
/** The exit codes of a program that leaves its signals to Effect. */
const INTERRUPTED = 130

export interface Memory {
  /** Megabytes. */
  readonly resident: number
  readonly heap: number
  /** To PostgreSQL. */
  readonly connections: number
  /** Without those connections. */
  readonly descriptors: number
}

export interface Server {
  readonly index: number
  readonly port: number
  readonly url: string
  readonly log: string
  readonly isUp: () => boolean
  readonly isFrozen: () => boolean
  /** Which process of this server it is, from 1. */
  readonly life: () => number
  readonly pid: () => number
  /** @param furtherAhead how far its clock is ahead of what it usually is */
  readonly start: (furtherAhead?: number) => Promise<void>
  /** `kill -9`; serves again after so long. */
  readonly killFor: (millis: number) => Promise<void>
  readonly freezeFor: (millis: number) => Promise<void>
  /** Stops in order; gives what is wrong with how it ended, if anything is. */
  readonly terminate: () => Promise<string | null>
  /** When it could do nothing, by its own account. */
  readonly stalls: () => ReadonlyArray<Span>
  /** Until it answers that it is ready, at most so long; whether it did. */
  readonly untilReady: (millis: number) => Promise<boolean>
  /** Stops in order, and starts again. */
  readonly roll: () => Promise<{
    readonly problem: string | null
    readonly stopMillis: number
    readonly startMillis: number
  }>
  /** With garbage collected. */
  readonly memory: () => Promise<Memory>
  readonly destroy: () => Promise<void>
}

export interface ServerOptions {
  readonly index: number
  readonly port: number
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
  /** How far its clock is ahead of the others'. */
  readonly aheadMillis: number
  /** Ports of this machine at which it reaches PostgreSQL; none: it uses a socket. */
  readonly storePorts: ReadonlyArray<number>
  readonly disturbances: Disturbances
}

const answersReady = async (url: string): Promise<boolean> => {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) }).catch(() => undefined)
  await answer?.arrayBuffer().catch(() => undefined)
  return answer?.status === 200
}

interface Figures {
  readonly rss: number
  readonly heapUsed: number
  readonly connections: number
}

/** Mostly as the process itself says. */
const readMemory = (pid: number, file: string): Memory => {
  const figures = JSON.parse(readFileSync(file, "utf8")) as Figures
  const descriptors = process.platform === "linux" ? readdirSync(`/proc/${pid}/fd`).length : 0
  return {
    resident: figures.rss / 2 ** 20,
    heap: figures.heapUsed / 2 ** 20,
    connections: figures.connections,
    descriptors: descriptors - figures.connections
  }
}

export const makeServer = (options: ServerOptions): Server => {
  const { index, port, directory, disturbances } = options
  const url = `http://127.0.0.1:${port}`
  const log = join(directory, `server-${index}.log`)
  const stallsFile = join(directory, `stalls-${index}.jsonl`)
  const memoryFile = join(directory, `memory-${index}.json`)
  const output = openSync(log, "a")
  let child: ChildProcess | undefined
  let isFrozen = false
  let isAhead = false
  let life = 0

  const running = (): ChildProcess => {
    if (child === undefined || hasEnded(child)) throw new Error(`server ${index} does not run; see ${log}`)
    return child
  }

  const start = async (furtherAhead = 0) => {
    const aheadMillis = options.aheadMillis + furtherAhead
    const program = aheadMillis === 0 ? [programFile("peyk"), "serve"] : [programFile("ServeAhead")]
    const counted = new URLSearchParams({ file: memoryFile, ports: options.storePorts.join() })
    const preload = new URL(`HeapReporter.ts?${counted}`, import.meta.url).href
    const who = new URLSearchParams({ server: String(index), file: stallsFile })
    const preloads = [preload, new URL(`ServerReporter.ts?${who}`, import.meta.url).href]
    const imports = preloads.flatMap((each) => ["--import", each])
    const started = spawn(process.execPath, ["--expose-gc", ...imports, ...program], {
      cwd: root,
      env: {
        ...options.env,
        PEYK_PORT: String(port),
        PEYK_TEST_AHEAD_MS: String(aheadMillis)
      },
      stdio: ["ignore", output, output]
    })
    child = started
    isAhead = aheadMillis > 0
    life += 1
    const deadline = now() + READY_MILLIS
    while (!(await answersReady(url))) {
      if (hasEnded(started)) throw new Error(`server ${index} ended while it started; see ${log}`)
      if (now() > deadline) throw new Error(`server ${index} did not start in time; see ${log}`)
      await pause(50)
    }
  }

  const terminate = async () => {
    const stopping = running()
    stopping.kill("SIGTERM")
    await ended(stopping)
    return stopping.exitCode === 0 || (isAhead && stopping.exitCode === INTERRUPTED)
      ? null
      : `server ${index} ended with ${stopping.signalCode ?? stopping.exitCode} when it was asked to stop`
  }

  return {
    index,
    port,
    url,
    log,
    stalls: () => readStalls(stallsFile),
    untilReady: async (millis) => {
      const deadline = now() + millis
      while (now() < deadline) {
        if (await answersReady(url)) return true
        await pause(100)
      }
      return false
    },
    isUp: () => child !== undefined && !hasEnded(child),
    isFrozen: () => isFrozen,
    life: () => life,
    pid: () => running().pid ?? 0,
    start,
    killFor: async (millis) => {
      const end = disturbances.begin("kill", index)
      const killed = running()
      killed.kill("SIGKILL")
      await ended(killed)
      await pause(millis)
      await start()
      end()
    },
    freezeFor: async (millis) => {
      const end = disturbances.begin("freeze", index)
      const frozen = running()
      frozen.kill("SIGSTOP")
      isFrozen = true
      await pause(millis)
      frozen.kill("SIGCONT")
      isFrozen = false
      end()
    },
    terminate,
    roll: async () => {
      const end = disturbances.begin("roll", index)
      const from = now()
      const problem = await terminate()
      const stoppedAt = now()
      await start()
      end()
      return { problem, stopMillis: stoppedAt - from, startMillis: now() - stoppedAt }
    },
    memory: async () => {
      rmSync(memoryFile, { force: true })
      const { pid = 0 } = running()
      process.kill(pid, "SIGUSR2")
      const deadline = now() + MEMORY_MILLIS
      while (now() < deadline) {
        await pause(50)
        try {
          return readMemory(pid, memoryFile)
        } catch {
          // not written yet
        }
      }
      throw new Error(`server ${index} did not report its memory`)
    },
    destroy: async () => {
      if (child === undefined) return
      child.kill("SIGKILL")
      await ended(child)
    }
  }
}
