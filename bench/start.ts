/**
 * `npm run bench:start`: what it costs to start a command and the server, in processor time (user and system) of the
 * program, of npm and of PostgreSQL, and the resident memory of a server without requests:
 *
 *     npm run bench:start -- [--rounds 5] [--against DIRECTORY]
 *
 * With `--against`, another clone or an unpacked package is measured in alternation. Linux only.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { readFlags } from "./Flags.ts"
import { freePort } from "./FreePort.ts"
import { machine } from "./Machine.ts"
import { cpuSeconds, parentPid, residentMegabytes } from "./ProcessStats.ts"
import { makeTemporaryDirectory } from "./TemporaryDirectory.ts"

/** Until memory that the start needed was collected. */
const IDLE_MILLIS = 10_000

const values = readFlags({ rounds: { type: "string", default: "5" }, against: { type: "string" } })

const here = fileURLToPath(new URL("../", import.meta.url))
const trees = [here, ...(values.against === undefined ? [] : [resolve(values.against)])]

interface Sample {
  readonly cpu: number
  readonly wall: number
  readonly megabytes?: number
}

/** A process with all of its descendants, also those in another session. */
const treeOf = (root: number): ReadonlyArray<number> => {
  const pids = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  const parents = new Map(pids.map((pid) => [pid, parentPid(pid)]))
  const below = (pid: number): ReadonlyArray<number> => [
    pid,
    ...pids.filter((each) => parents.get(each) === pid).flatMap(below)
  ]
  return below(root)
}

const cpuOf = (root: number): number => treeOf(root).reduce((sum, pid) => sum + (cpuSeconds(pid) ?? 0), 0)

const environment = (dataDir: string, port: number) => ({
  ...process.env,
  PEYK_DATA_DIR: dataDir,
  PEYK_PORT: String(port),
  PEYK_PROCESSES: "1"
})

const program = (tree: string) => join(tree, "bin/peyk.js")

/** Nothing else that this process started may end meanwhile. */
const runCommand = async (
  tree: string,
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv
): Promise<Sample> => {
  const before = cpuSeconds(process.pid, "children") ?? 0
  const begun = performance.now()
  const child = spawn(process.execPath, [program(tree), ...args], { env, stdio: "ignore" })
  const [code] = await once(child, "exit")
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}`)
  return {
    cpu: (cpuSeconds(process.pid, "children") ?? 0) - before,
    wall: (performance.now() - begun) / 1000
  }
}

/** The processes that `npm start` has, and what they used until the server listened. */
const startServer = async (tree: string, env: NodeJS.ProcessEnv) => {
  const begun = performance.now()
  const child = spawn("npm", ["start"], { cwd: tree, env, stdio: ["ignore", "pipe", "inherit"] })
  let firstLine: number | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("Starting")) firstLine ??= (performance.now() - begun) / 1000
    if (line.includes("listens on")) break
  }
  if (child.pid === undefined || child.exitCode !== null) throw new Error("the server did not start")
  const sample = { cpu: cpuOf(child.pid), wall: (performance.now() - begun) / 1000, firstLine }
  child.stdout.resume()
  return { child, sample }
}

const stop = async (child: ChildProcess) => {
  const ended = once(child, "exit")
  child.kill("SIGTERM")
  await ended
}

/** Of the process that serves: npm replaces itself by it, or not. */
const serverMegabytes = (child: ChildProcess): number =>
  Math.max(...treeOf(child.pid ?? 0).map((pid) => residentMegabytes(pid) ?? 0))

const samples = new Map<string, Array<Sample>>()
const keep = (tree: string, measure: string, sample: Sample) => {
  const name = `${tree}\t${measure}`
  samples.set(name, [...(samples.get(name) ?? []), sample])
}

/** Compiled code and bundles are made again by a first start. */
const forgetCompiled = (tree: string) =>
  rmSync(join(tree, "node_modules/.cache/peyk"), { recursive: true, force: true })

const measureTree = async (tree: string) => {
  const directory = makeTemporaryDirectory("peyk-start")
  const env = environment(join(directory, "data"), await freePort())
  try {
    forgetCompiled(tree)
    const first = await startServer(tree, env)
    keep(tree, "first npm start", first.sample)
    await stop(first.child)
    // it keeps what it compiled when it ends
    const again = await startServer(tree, env)
    await stop(again.child)
    const second = await startServer(tree, env)
    keep(tree, "later npm start", second.sample)
    try {
      await pause(IDLE_MILLIS)
      keep(tree, "idle server", { cpu: 0, wall: 0, megabytes: serverMegabytes(second.child) })
      await runCommand(tree, ["key", "list", "--customer", "1"], env)
      await runCommand(tree, ["--help"], env)
      keep(tree, "key list", await runCommand(tree, ["key", "list", "--customer", "1"], env))
      keep(tree, "--version", await runCommand(tree, ["--version"], env))
      keep(tree, "--help", await runCommand(tree, ["--help"], env))
    } finally {
      await stop(second.child)
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const tree of trees) await measureTree(tree)
}

console.log(`${machine()}, medians of ${values.rounds}`)
console.log("| Tree | Measure | processor s | wall s | MB |\n| --- | --- | --- | --- | --- |")
for (const [name, all] of samples) {
  const [tree, measure] = name.split("\t")
  const figures = [all.map(({ cpu }) => cpu), all.map(({ wall }) => wall)].map((each) =>
    median(each).toFixed(2)
  )
  const megabytes = all.flatMap((sample) => (sample.megabytes === undefined ? [] : [sample.megabytes]))
  console.log(
    `| ${tree} | ${measure} | ${figures.join(" | ")} | ${megabytes.length === 0 ? "" : median(megabytes).toFixed(0)} |`
  )
}
