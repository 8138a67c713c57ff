/** One run of load, in its own process: wrk if the machine has it, because it takes the least CPU, else autocannon. */
import { execFile, execFileSync, fork } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { GeneratorName } from "./Options.ts"
import { cpuSeconds } from "./ProcessStats.ts"
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
  readonly failed: number
}

export interface LoadGenerator {
  readonly name: GeneratorName
  readonly run: (job: Job) => Promise<LoadResult & { readonly cpu: number | null }>
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

const runWrk =
  ({ connections, directory }: Given) =>
  async ({ url, requests, cycles, seconds }: Job): Promise<LoadResult> => {
    const file = join(directory, "requests")
    writeFileSync(file, requests.map(rawOf).join("\0"))
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

const runAutocannon =
  ({ connections }: Given) =>
  async (job: Job): Promise<LoadResult> => {
    const child = fork(fileOf("autocannon.mjs"), [], { serialization: "advanced" })
    child.send({ connections, ...job })
    const ended = once(child, "exit").then(() => {
      throw new Error("the load ended without a result")
    })
    const [result] = await Promise.race([once(child, "message"), ended])
    // only now is its CPU time known
    await ended.catch(() => undefined)
    return result
  }

const hasWrk = () => {
  try {
    // it says how to use it, and fails
    execFileSync("wrk", ["-v"], { stdio: "ignore" })
    return true
  } catch (error) {
    return (error as { code?: string }).code !== "ENOENT"
  }
}

export const loadGenerator = (wanted: GeneratorName | null, given: Given): LoadGenerator => {
  const name = wanted ?? (hasWrk() ? "wrk" : "autocannon")
  const run = (name === "wrk" ? runWrk : runAutocannon)(given)
  return {
    name,
    run: async (job) => {
      const before = cpuSeconds(process.pid, "children")
      const result = await run(job)
      const after = cpuSeconds(process.pid, "children")
      return { ...result, cpu: before === null || after === null ? null : after - before }
    }
  }
}
