/**
 * `npm run trip`: the source files that one warm `POST /v1/otp/send` runs through, by V8's coverage of a real server.
 * Files that also run while no request comes (timers, metrics) are listed apart and do not count.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { freePort } from "./FreePort.ts"
import { makeTemporaryDirectory } from "./TemporaryDirectory.ts"

const WARM_UP_SENDS = 50
/** Longer than the intervals of the background's loops that poll. */
const IDLE_MILLIS = 5000

const root = new URL("../", import.meta.url)
const source = new URL("src/", root).href

interface ScriptCoverage {
  readonly url: string
  readonly functions: ReadonlyArray<{
    readonly functionName: string
    readonly ranges: ReadonlyArray<{ readonly count: number }>
  }>
}

/** Calls methods of the inspector, one at a time. */
const connectInspector = async (address: string) => {
  const socket = new WebSocket(address)
  await once(socket, "open")
  let lastId = 0
  const call = async (method: string, params: object = {}) => {
    const id = (lastId += 1)
    socket.send(JSON.stringify({ id, method, params }))
    for (;;) {
      const [event] = await once(socket, "message")
      const reply = JSON.parse(String(event.data))
      if (reply.id !== id) continue
      if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`)
      return reply.result
    }
  }
  return { call, close: () => socket.close() }
}

/** The address that Node prints once its inspector listens. */
const inspectorOf = async (standardError: Readable): Promise<string> => {
  for await (const line of createInterface({ input: standardError })) {
    const address = /ws:\/\/\S+/.exec(line)?.[0]
    if (address !== undefined) return address
  }
  throw new Error("the server ended before its inspector listened")
}

const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false
  )

/** Files with a function that was called. */
const filesRun = (scripts: ReadonlyArray<ScriptCoverage>): ReadonlySet<string> =>
  new Set(
    scripts
      .filter(({ url }) => url.startsWith(source))
      .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
      .map(({ url }) => url.slice(source.length))
  )

const printFiles = (title: string, files: ReadonlyArray<string>) => {
  console.log(`${title}: ${files.length}`)
  const folders = Map.groupBy(files, (file) => file.slice(0, file.lastIndexOf("/") + 1))
  for (const [folder, inIt] of [...folders].sort()) {
    console.log(`  ${folder}  ${inIt.map((file) => file.slice(folder.length, -".ts".length)).join(" ")}`)
  }
}

const measure = async (directory: string) => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = spawn(
    process.execPath,
    // the source, file by file: what bin/peyk.js starts is a few files
    ["--inspect=127.0.0.1:0", fileURLToPath(new URL("src/main.ts", root)), "serve"],
    {
      env: {
        ...process.env,
        PEYK_DATA_DIR: directory,
        PEYK_PORT: String(port),
        PEYK_PROCESSES: "1",
        PEYK_ACCOUNT_GAP_MS: "0",
        PEYK_ACCOUNT_RATE_BALE: "0"
      },
      stdio: ["ignore", "ignore", "pipe"]
    }
  )
  const send = async (key: string, nth: number) => {
    const response = await fetch(`${url}/v1/otp/send`, {
      method: "POST",
      headers: {
        "x-api-key": key,
        "idempotency-key": `trip-${nth}`,
        "content-type": "application/json"
      },
      body: JSON.stringify({ phone: `0912${String(1_000_000 + nth)}` })
    })
    if (response.status !== 200) throw new Error(`the send was refused: ${await response.text()}`)
    await response.arrayBuffer()
  }
  try {
    const { call, close } = await connectInspector(await inspectorOf(server.stderr))
    server.stderr.resume()
    while (!(await isReady(url))) await pause(100)
    const { live_key: key } = JSON.parse(readFileSync(join(directory, "demo.json"), "utf8"))
    for (let nth = 1; nth <= WARM_UP_SENDS; nth += 1) await send(key, nth)
    await call("Profiler.enable")
    await call("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
    // What was called since the last one is what this returns.
    const take = async () => filesRun((await call("Profiler.takePreciseCoverage")).result)
    await pause(IDLE_MILLIS)
    await take()
    await pause(IDLE_MILLIS)
    const idle = await take()
    // Caches that lapsed meanwhile are warm again after one.
    await send(key, WARM_UP_SENDS + 1)
    await take()
    await send(key, WARM_UP_SENDS + 2)
    const run = await take()
    // A process does not end while its inspector is connected.
    close()
    return { idle, run }
  } finally {
    const ended = once(server, "exit")
    server.kill("SIGTERM")
    await ended
  }
}

const directory = makeTemporaryDirectory("peyk-trip")
try {
  const { idle, run } = await measure(directory)
  printFiles("Files of a send", [...run].filter((file) => !idle.has(file)).sort())
  printFiles("Files that also run without a request", [...run].filter((file) => idle.has(file)).sort())
} finally {
  rmSync(directory, { recursive: true, force: true })
}
