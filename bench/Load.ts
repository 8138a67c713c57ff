/**
 * One run of load, in its own process: wrk if the machine has it, because it takes the least CPU, else autocannon. Fixed
 * arrivals, and what is looked at response by response, come from `requester.ts`.
 */
import { execFile, execFileSync, fork } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { GeneratorName } from "./Options.ts"
import { cpuSeconds } from "./ProcessStats.ts"
import { type Recording, totalsOf } from "./Recording.ts"
import type { RequesterJob } from "./requester.ts"
import type { HttpRequest } from "./Requests.ts"

export interface Job {
  readonly url: string
  /** Sent in this order. */
  readonly requests: ReadonlyArray<HttpRequest>
  /** Begins again after the last one; otherwise the run ends. */
  readonly cycles: boolean
  /** At most. */
  readonly seconds: number
}

export interface LoadResult {
  /** Responses with a status below 400. */
  readonly requests: number
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly failed: number
}

type WithCpu<A> = A & { readonly cpu: number | null }

export interface LoadGenerator {
  readonly name: string
  readonly run: (job: Job) => Promise<WithCpu<LoadResult>>
  /** Requests that arrive at fixed times, so many a second. */
  readonly atRate: (rate: number, job: Job) => Promise<WithCpu<LoadResult>>
  /** Each response. */
  readonly record: (job: Job) => Promise<Recording>
}

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** For both: so many connections, each with one request at a time. */
interface Given {
  readonly connections: number
  /** For a file with the requests. */
  readonly directory: string
}

const rawOf = ({ method, path, headers, body }: HttpRequest) => {
  const all = {
    host: "127.0.0.1",
    ...headers,
    ...(body === "" ? {} : { "content-length": Buffer.byteLength(body) })
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`
}

/** Separated by zero bytes. */
const writeRequests = (directory: string, requests: Job["requests"]): string => {
  const file = join(directory, "requests")
  writeFileSync(file, requests.map(rawOf).join("\0"))
  return file
}

const runWrk =
  ({ connections, directory }: Given) =>
  async ({ url, requests, cycles, seconds }: Job): Promise<LoadResult> => {
    const file = writeRequests(directory, requests)
    const given = [
      "-t1",
      `-c${connections}`,
      `-d${seconds}s`,
      "--timeout",
      "20s",
      "-s",
      fileOf("wrk.lua"),
      url
    ]
    const ends = cycles ? "cycles" : "ends"
    const { stdout } = await promisify(execFile)("wrk", [...given, "--", file, ends])
    const line = stdout.split("\n").find((each) => each.startsWith("{"))
    if (line === undefined) throw new Error(`wrk printed no result: ${stdout}`)
    return JSON.parse(line)
  }

/** Gives a process its job, and waits for the result and its end: only then its CPU time is known. */
const resultOf = async (file: string, job: object) => {
  const child = fork(fileOf(file), [], { serialization: "advanced" })
  const ended = once(child, "exit").then(() => {
    throw new Error("the load ended without a result")
  })
  child.send(job)
  const [result] = await Promise.race([once(child, "message"), ended])
  await ended.catch(() => undefined)
  return result
}

const runAutocannon =
  ({ connections }: Given) =>
  (job: Job): Promise<LoadResult> =>
    resultOf("autocannon.mjs", { connections, ...job })

const runRequester =
  ({ connections, directory }: Given, rate: number | null) =>
  ({ url, requests, cycles, seconds }: Job): Promise<Recording> => {
    const job: RequesterJob = {
      url,
      file: writeRequests(directory, requests),
      cycles,
      seconds,
      connections,
      rate
    }
    return resultOf("requester.ts", job)
  }

/** Generators call the percentiles of no response 0, which is better than any. */
export const withoutFalseZeros = (result: LoadResult): LoadResult =>
  result.requests > 0 ? result : { ...result, p50: Number.NaN, p99: Number.NaN, p999: Number.NaN }

const hasWrk = () => {
  try {
    // it says how to use it, and fails
    execFileSync("wrk", ["-v"], { stdio: "ignore" })
    return true
  } catch (error) {
    return (error as { code?: string }).code !== "ENOENT"
  }
}

const withCpu = async <A>(work: Promise<A>): Promise<WithCpu<A>> => {
  const before = cpuSeconds(process.pid, "children")
  const result = await work
  const after = cpuSeconds(process.pid, "children")
  return { ...result, cpu: before === null || after === null ? null : after - before }
}

/** @param openLoop how many requests arrive in a second in each run; null: as many as the connections allow */
export const loadGenerator = (
  wanted: GeneratorName | null,
  given: Given,
  openLoop: number | null = null
): LoadGenerator => {
  const atRate = async (rate: number, job: Job) => totalsOf(await runRequester(given, rate)(job))
  const others = {
    atRate: (rate: number, job: Job) => withCpu(atRate(rate, job)),
    record: runRequester(given, null)
  }
  if (openLoop !== null) {
    return { name: `${openLoop} requests a second`, run: (job) => withCpu(atRate(openLoop, job)), ...others }
  }
  const name = wanted ?? (hasWrk() ? "wrk" : "autocannon")
  const generate = (name === "wrk" ? runWrk : runAutocannon)(given)
  const run = async (job: Job) => withoutFalseZeros(await generate(job))
  return { name, run: (job) => withCpu(run(job)), ...others }
}
