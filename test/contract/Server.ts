/** Runs the real program as a child process, on a store of its own, and drives its command line. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { freePort } from "../../bench/FreePort.ts"
import { dataRoot } from "../support/DataDirectories.ts"
import { gatherLog } from "../support/LogGuard.ts"
import { programFile } from "../support/Programs.ts"
import { makeDemo, storeSettings } from "./OwnStore.ts"
import { copyStoreTemplate } from "./StoreTemplate.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
/** The project's own Node. */
const node = join(root, "node_modules", ".bin", "node")

export interface Demo {
  readonly customer_id: string | number
  readonly live_key: string
  readonly test_key: string
  /** A personal access token of full scope. */
  readonly token: string
}

/** The result of a command; `code` is null if a signal ended it. */
export interface Finished {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Commands on one store, in the test's process. */
export interface Commands {
  readonly run: (...args: ReadonlyArray<string>) => Promise<Finished>
  /** The same, with something on its standard input. */
  readonly feed: (input: string, ...args: ReadonlyArray<string>) => Promise<Finished>
  /** Runs a command with `--json` on the same store and returns the parsed answer. */
  readonly cli: (...args: ReadonlyArray<string>) => Promise<unknown>
}

/** A serving process, whatever its store. */
export interface Running extends Commands {
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly dataDir: string
  /** Its environment: with it, `runProgram` starts a command on the same store as a process. */
  readonly env: Readonly<Record<string, string>>
  /** The program's output so far, for diagnosis. */
  readonly output: () => string
  /** Asks the program to stop, waits for it, and gives its exit code. The data stays. */
  readonly terminate: (signal?: "SIGTERM" | "SIGINT") => Promise<number | null>
  /** Asks the program to stop, waits for it, and removes its data. */
  readonly stop: () => Promise<void>
  /** `kill -9` of the serving process alone. The data stays. */
  readonly kill: () => Promise<void>
}

/** A serving process on an embedded store. */
export interface Server extends Running {
  readonly demo: Demo
  /** Starts the program again on the same data. */
  readonly restart: () => Promise<Server>
}

const FIRST_PAUSE_MILLIS = 20
/** Each attempt costs the server work that others wait for. */
const LAST_PAUSE_MILLIS = 200

/** Repeats `attempt` until it gives a value; fails, saying what was awaited, once the deadline has passed. */
export const until = async <A>(
  what: string,
  attempt: () => Promise<A | undefined>,
  deadlineMs = 15_000
): Promise<A> => {
  const deadline = performance.now() + deadlineMs
  for (let millis = FIRST_PAUSE_MILLIS; ; millis = Math.min(1.5 * millis, LAST_PAUSE_MILLIS)) {
    const value = await attempt()
    if (value !== undefined) return value
    if (performance.now() > deadline) throw new Error(`gave up after ${deadlineMs} ms waiting for ${what}`)
    await pause(millis)
  }
}

/** The surrounding environment without anything that would configure the program. */
export const neutralEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || name === "DATABASE_URL" || /^(PEYK|OTEL)_/.test(name) ? [] : [[name, value]]
    )
  )

const hasExited = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

const exited = (child: ChildProcess) =>
  hasExited(child)
    ? Promise.resolve()
    : new Promise<void>((resolve) => {
        child.once("exit", () => resolve())
      })

/** A grandchild may still hold the pipes open: let go of them. */
const release = (child: ChildProcess) => {
  child.stdout?.destroy()
  child.stderr?.destroy()
}

/** The OpenAPI document has more than the default of 1 MiB. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

interface RunOptions {
  /** By default the project's Node. */
  readonly executable?: string
  /** By default the program as one file. */
  readonly file?: string
  /** Its standard input. */
  readonly input?: string
}

/** Starts a command of the program as a process and waits for its end. */
export const runProgram = (
  env: NodeJS.ProcessEnv,
  args: ReadonlyArray<string>,
  { executable = node, file = programFile("peyk"), input }: RunOptions = {}
) =>
  new Promise<Finished>((resolve) => {
    const options = { cwd: root, env, timeout: 60_000, maxBuffer: MAX_OUTPUT_BYTES }
    const child = execFile(executable, [file, ...args], options, (error, out, err) => {
      const code = error === null ? 0 : error.code
      resolve({ code: typeof code === "number" ? code : null, out, err })
    })
    if (input === undefined) return
    // A command that ends without reading breaks the pipe.
    child.stdin?.on("error", () => {})
    child.stdin?.end(input)
  })

/** Loads the whole program, once per worker. */
const loadCommandLine = () => import("../support/InProcessCommand.ts")

/** Runs a command of the program in this process: a tenth of the CPU time of `runProgram`. */
export const runCommand = async (
  env: Readonly<Record<string, string>>,
  args: ReadonlyArray<string>,
  input?: string
): Promise<Finished> => (await loadCommandLine()).runInProcess(env, args, input)

const runCli = async (
  env: Readonly<Record<string, string>>,
  args: ReadonlyArray<string>
): Promise<unknown> => {
  const { code, out, err } = await runCommand(env, [...args, "--json"])
  const report = () => new Error(`peyk ${args.join(" ")} ended with ${code}:\n${out}\n${err}`)
  if (code !== 0) throw report()
  if (out.trim() === "") return undefined
  try {
    return JSON.parse(out)
  } catch {
    throw report()
  }
}

export const commandsWith = (env: Readonly<Record<string, string>>): Commands => ({
  run: (...args) => runCommand(env, args),
  feed: (input, ...args) => runCommand(env, args, input),
  cli: (...args) => runCli(env, args)
})

export interface Options {
  readonly env?: Readonly<Record<string, string>>
  /** The run's prepared store on a copy unless one is given; give `makeDataDir()` for a first start. */
  readonly dataDir?: string
  /** The arguments of the executable, in the project's directory; by default the program's `serve`. */
  readonly command?: ReadonlyArray<string>
  /** By default the project's Node. */
  readonly executable?: string
}

/** For root too, whose PostgreSQL runs as nobody and has to get through. */
export const makeDataDir = async (): Promise<string> => {
  const directory = await mkdtemp(join(dataRoot(), "peyk-"))
  await chmod(directory, 0o711)
  return directory
}

/** A process that may not be ready yet. */
interface Begun extends Omit<Running, "stop"> {
  /** Why it will not become ready; undefined while it may. */
  readonly failure: () => Error | undefined
}

/** Starts the program, and does not wait for it. */
export const beginProcess = async (options: Options = {}): Promise<Begun> => {
  const port = await freePort()
  const dataDir = options.dataDir ?? (await makeDataDir())
  const env: Record<string, string> = {
    ...neutralEnvironment(),
    // Many tests use one key, or one account, in a short time; limits and paces have tests of their own.
    PEYK_LIMIT_KEY_MINUTE: "100000",
    PEYK_LIMIT_MANAGE_MINUTE: "0",
    PEYK_ACCOUNT_GAP_MS: "0",
    // Nor do tests of anything else meet an overload because the machine is busy.
    PEYK_OVERLOAD_DELAY_MS: "60000",
    ...Object.fromEntries(
      ["EITAA", "BALE", "SOROUSHPLUS", "RUBIKA", "TELEGRAM"].map((channel) => [
        `PEYK_ACCOUNT_RATE_${channel}`,
        "0"
      ])
    ),
    ...(options.env?.DATABASE_URL === undefined ? await storeSettings(dataDir) : {}),
    ...options.env,
    PEYK_PORT: String(port),
    PEYK_DATA_DIR: dataDir
  }
  const url = `http://127.0.0.1:${port}`
  let printed = ""
  const child = spawn(options.executable ?? node, options.command ?? [programFile("peyk"), "serve"], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const keep = (chunk: Buffer) => {
    printed += chunk.toString("utf8")
  }
  child.stdout.on("data", keep)
  child.stderr.on("data", keep)
  child.stderr.on("data", (chunk: Buffer) => gatherLog(`server-${child.pid}`, chunk))
  let spawnError: Error | undefined
  child.once("error", (error) => {
    spawnError = error
  })

  const kill = async () => {
    child.kill("SIGKILL")
    await exited(child)
    release(child)
  }
  const terminate = async (signal: "SIGTERM" | "SIGINT" = "SIGTERM") => {
    child.kill(signal)
    const inTime = await Promise.race([exited(child).then(() => true), pause(20_000, false, { ref: false })])
    if (!inTime) await kill()
    release(child)
    if (!inTime) throw new Error(`the server did not stop within 20 s of ${signal}:\n${printed}`)
    return child.exitCode
  }
  const failure = () =>
    spawnError ??
    (hasExited(child) ? new Error(`the server exited (${child.exitCode ?? child.signalCode})`) : undefined)
  return {
    url,
    port,
    pid: child.pid ?? 0,
    dataDir,
    env,
    output: () => printed,
    ...commandsWith(env),
    failure,
    terminate,
    kill
  }
}

/** Returns once the process is ready; one that exits instead is a failure. */
export const whenReady = async ({ failure, ...begun }: Begun): Promise<Running> => {
  const stop = async () => {
    try {
      await begun.terminate()
    } finally {
      await rm(begun.dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    }
  }

  // now, so that no test's time is spent on it
  const loaded = loadCommandLine()
  try {
    await until(
      "GET /readyz to answer 200",
      async () => {
        const failed = failure()
        if (failed !== undefined) throw failed
        const answer = await fetch(`${begun.url}/readyz`).catch(() => undefined)
        await answer?.arrayBuffer()
        return answer?.status === 200 ? true : undefined
      },
      45_000
    )
    await loaded
  } catch (error) {
    await begun.kill()
    throw new Error(`the server did not start:\n${begun.output()}`, { cause: error })
  }
  return { ...begun, stop }
}

/** Starts the program and returns once it is ready; a program that exits instead is a failure. */
export const startProcess = async (options: Options = {}): Promise<Running> =>
  whenReady(await beginProcess(options))

/** The directory that is asked for, or a new one with the run's prepared store. */
const storeFor = async ({ dataDir }: Options): Promise<string> => {
  if (dataDir !== undefined) return dataDir
  const directory = await makeDataDir()
  await copyStoreTemplate(directory)
  return directory
}

/** Starts the program on an embedded store, which has a demo customer. */
export const startServer = async (options: Options = {}): Promise<Server> => {
  const dataDir = await storeFor(options)
  const running = await startProcess({ ...options, dataDir })
  try {
    await makeDemo(running.env, dataDir)
    const demo = await until("demo.json", () =>
      readFile(join(dataDir, "demo.json"), "utf8").then(
        (text) => JSON.parse(text) as Demo,
        () => undefined
      )
    )
    return { ...running, demo, restart: () => startServer({ ...options, dataDir }) }
  } catch (error) {
    await running.kill()
    throw new Error(`the server made no demo customer:\n${running.output()}`, { cause: error })
  }
}
