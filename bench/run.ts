/**
 * Peyk and its references by turns, on one PostgreSQL, and their ratios. `npm run bench -- --rounds 4 --seconds 5`.
 * What is measured, and how fairly: README.
 */
import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect } from "effect"
import { fork } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { report, type Run } from "./Report.ts"
import { checkpoint, makeCustomer, startStore } from "./Store.ts"
import { cpuSeconds, familyCpuSeconds, residentMegabytes, startSubject, type Subject } from "./Subject.ts"

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "4" },
    seconds: { type: "string", default: "5" },
    connections: { type: "string", default: "64" }
  }
})
const rounds = Number(options.rounds)
const seconds = Number(options.seconds)
const connections = Number(options.connections)

/** Before anything is counted, so that code is compiled and statements are prepared; to phones that no turn gets to. */
const WARM_UP_SECONDS = 3
const WARM_UP_FROM = 9_000_000

interface Target {
  readonly verification_id: string
  readonly code?: string
}

interface Load {
  readonly perSecond: number
  readonly requests: number
  readonly p50: number
  readonly p99: number
  readonly failed: number
  readonly failures: ReadonlyArray<string>
  readonly started: ReadonlyArray<readonly [id: string, phone: string]>
}

const load = async (job: object): Promise<Load> => {
  const child = fork(fileURLToPath(new URL("load.mjs", import.meta.url)))
  child.send({ connections, ...job })
  const ended = once(child, "exit").then(() => {
    throw new Error("the load ended without a result")
  })
  const [result] = await Promise.race([once(child, "message"), ended])
  ended.catch(() => undefined)
  return result
}

const perRequest = (before: number | null, after: number | null, requests: number) =>
  before === null || after === null ? null : ((after - before) * 1e6) / requests

/** One program's turn with everything that it is measured with; the numbers of phones go on from turn to turn. */
const makeTurn = (storeCpu: () => number | null, runs: Array<Run>) => {
  let from = 0
  const measure = async (subject: Subject, operation: string, job: object) => {
    const before = [cpuSeconds(subject.pid), storeCpu()] as const
    const result = await load({ url: subject.url, key: subject.key, from, ...job })
    from += result.started.length + connections
    runs.push({
      subject: subject.name,
      operation,
      perSecond: result.perSecond,
      p50: result.p50,
      p99: result.p99,
      failed: result.failed,
      programCpu: perRequest(before[0], cpuSeconds(subject.pid), result.requests),
      storeCpu: perRequest(before[1], storeCpu(), result.requests),
      memory: residentMegabytes(subject.pid)
    })
    const told = `${subject.name} ${operation}: ${result.perSecond.toFixed(0)}/s, p99 ${result.p99} ms`
    process.stderr.write(`${told}${result.failed > 0 ? `, ${result.failed} failed` : ""}\n`)
    for (const failure of result.failures) process.stderr.write(`  ${failure}\n`)
    return result
  }
  return async (subject: Subject) => {
    const { started } = await measure(subject, "send", { kind: "send", seconds })
    if (started.length === 0 || subject.name === "node:http") return
    const codes = await subject.codes()
    const targets: ReadonlyArray<Target> = started.map(([verification_id, phone]) => ({
      verification_id,
      code: codes.get(`+98${phone.slice(1)}`) ?? ""
    }))
    const half = Math.floor(targets.length / 2)
    const wrong = targets.slice(half).map(({ verification_id }) => ({ verification_id, code: "0000000" }))
    // four wrong codes each: the fifth would lock
    await measure(subject, "verify wrong", { kind: "verify", targets: wrong, amount: wrong.length * 4 })
    await measure(subject, "verify right", { kind: "verify", targets: targets.slice(0, half), amount: half })
    await measure(subject, "status", { kind: "status", targets, seconds })
    if (subject.name === "peyk") await measure(subject, "message", { kind: "message", seconds })
  }
}

/** No limit and no account is as slow as in life. */
const unlimited = {
  PEYK_ACCOUNT_GAP_MS: "0",
  PEYK_ACCOUNT_RATE_BALE: "0",
  PEYK_LIMIT_KEY_MINUTE: "0",
  PEYK_LIMIT_PHONE_HOUR: "1000",
  PEYK_LIMIT_PHONE_DAY: "1000",
  PEYK_LIMIT_PLATFORM_PHONE_DAY: "1000"
}

const startSubjects = async (directory: string, socketDirectory: string) => {
  const own = { ...unlimited, PEYK_DATA_DIR: directory, PEYK_SECRET: randomBytes(32).toString("base64") }
  const secret = await makeCustomer(own)
  const program = (
    name: string,
    file: string,
    port: number,
    env: NodeJS.ProcessEnv,
    key = "svc_live_reference1"
  ) => startSubject({ name, file, port, env: { ...env, PORT: String(port) }, key: () => key })
  return [
    await program("peyk", "serve.ts", 9310, { ...own, PEYK_PORT: "9310" }, secret),
    await program("fastify", "reference/service.mjs", 9311, {
      PGHOST: socketDirectory,
      PGDATABASE: "once"
    }),
    await program("fastify, crash-safe", "reference/service.mjs", 9312, {
      PGHOST: socketDirectory,
      PGDATABASE: "twice",
      CRASH_SAFE: "1"
    }),
    await program("node:http", "reference/node-http.mjs", 9313, {})
  ]
}

const compare = async (subjects: ReadonlyArray<Subject>, storePid: number, socketPath: string) => {
  const runs: Array<Run> = []
  const turn = makeTurn(() => familyCpuSeconds(storePid), runs)
  for (const subject of subjects) {
    await load({
      url: subject.url,
      key: subject.key,
      kind: "send",
      seconds: WARM_UP_SECONDS,
      from: WARM_UP_FROM
    })
    subject.suspend()
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      await checkpoint(socketPath)
      subject.resume()
      await turn(subject)
      subject.suspend()
    }
  }
  return runs
}

const program = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const made = mkdtempSync(join(tmpdir(), "peyk-bench-"))
      // PostgreSQL does not run as root, and has to get there
      chmodSync(made, 0o755)
      return made
    }),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const store = yield* startStore(directory, ["once", "twice"])
  const subjects = yield* Effect.acquireRelease(
    Effect.promise(() => startSubjects(directory, store.socketDirectory)),
    (started) => Effect.promise(() => Promise.all(started.map((subject) => subject.stop())))
  )
  const runs = yield* Effect.promise(() => compare(subjects, store.pid, store.socketPath))
  yield* Console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${connections} connections, ` +
      `${rounds} rounds of ${seconds} s; medians, ratios paired by round.\n\n${report(runs)}`
  )
})

NodeRuntime.runMain(Effect.scoped(program))
