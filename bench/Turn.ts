/** One program's turn: all its measures, once. */
import { setTimeout as pause } from "node:timers/promises"
import type { Job, LoadGenerator } from "./Load.ts"
import type { MeasurementSetup } from "./MeasurementSetup.ts"
import type { MeasureName, Options } from "./Options.ts"
import { cpuSeconds, familyCpuSeconds, perRequest, residentMegabytes, sumOver } from "./ProcessStats.ts"
import type { Run } from "./Report.ts"
import { toPhones } from "./Requests.ts"
import { OWN_DATABASE, type Store } from "./Store.ts"
import type { Subject } from "./Subject.ts"

/** More than any program sends; a run that used them up would only end early. */
const MAX_PER_SECOND = 20_000
const QUIET_PER_SECOND = 50
/** Before a verification locks. */
const WRONG_CODES = 4
const WRONG_CODE = "0000000"

const report = ({ subject, operation, perSecond, p99, failed }: Run) => {
  const failing = failed > 0 ? `, ${failed} failed` : ""
  process.stderr.write(
    `${subject} ${operation}: ${perSecond.toFixed(0)}/s, p99 ${p99.toFixed(1)} ms${failing}\n`
  )
}

const LONGEST_MILLIS = 120_000
const POLL_MILLIS = 20

/** The timers of Peyk's messages are removed with their last step; the references send a message at once. */
const allMessagesDone = async (store: Store) => {
  for (let waited = 0; waited < LONGEST_MILLIS; waited += POLL_MILLIS) {
    const [[row] = []] = await store.run(OWN_DATABASE, [
      `select exists (select from timers where kind collate "C" = 'message') as "isLeft"`
    ])
    if (row?.["isLeft"] !== true) return
    await pause(POLL_MILLIS)
  }
  throw new Error("messages were not sent in time")
}

export interface TurnOptions extends Pick<MeasurementSetup, "load" | "store" | "takePhones"> {
  readonly measures: Options["measures"]
  /** For so long uncounted sends (or messages where only those are measured) come first. */
  readonly settlingSeconds: number
}

export const makeTurn = ({ measures, load, store, takePhones: take, settlingSeconds }: TurnOptions) => {
  /** Returns what was measured, by the subject's name. */
  return async (subject: Subject, seconds: number): Promise<ReadonlyArray<Run>> => {
    const { name, dialect, pids, url } = subject
    const runs: Array<Run> = []
    const begin = () => ({
      program: sumOver(pids, cpuSeconds),
      store: familyCpuSeconds(store.pid),
      workers: store.workers?.map(familyCpuSeconds)
    })
    const record = (
      operation: string,
      { cpu, ...result }: Awaited<ReturnType<LoadGenerator["run"]>>,
      begun: ReturnType<typeof begin>
    ) => {
      const run: Run = {
        subject: name,
        operation,
        perSecond: result.perSecond,
        p50: result.p50,
        p99: result.p99,
        p999: result.p999,
        failed: result.failed,
        programCpu: perRequest(begun.program, sumOver(pids, cpuSeconds), result.requests),
        storeCpu: perRequest(begun.store, familyCpuSeconds(store.pid), result.requests),
        ...(store.workers === undefined
          ? {}
          : {
              workerCpu: store.workers.map((pid, nth) =>
                perRequest(begun.workers?.[nth] ?? null, familyCpuSeconds(pid), result.requests)
              )
            }),
        loadCpu: perRequest(0, cpu, result.requests),
        memory: sumOver(pids, residentMegabytes)
      }
      runs.push(run)
      report(run)
    }
    const measure = async (operation: string, job: Omit<Job, "url" | "seconds">) => {
      if (job.requests.length === 0) return
      const begun = begin()
      record(operation, await load.run({ url, seconds, ...job }), begun)
    }
    /** At a low rate: what one send costs, with nothing in its way. */
    const measureQuiet = async () => {
      const count = QUIET_PER_SECOND * seconds
      const requests = toPhones(take(count), count, send)
      const begun = begin()
      record("quiet", await load.atRate(QUIET_PER_SECOND, { url, seconds, requests, cycles: false }), begun)
    }
    /** Messages are accepted first, and done later. */
    const measureMessages = async (requests: Job["requests"]) => {
      const begun = begin()
      const result = await load.run({ url, seconds, requests, cycles: false })
      const endedAt = performance.now()
      if (wants("message")) record("message", result, begun)
      if (scheduled !== null) await allMessagesDone(store)
      const wholeSeconds = result.requests / result.perSecond + (performance.now() - endedAt) / 1000
      const perSecond = result.requests / wholeSeconds
      if (wants("message-whole")) record("message-whole", { ...result, perSecond }, begun)
    }
    /** One phone at its limit: every request to it is refused, and then one of ten among other sends. */
    const measureRefusals = async (phone: string) => {
      await store.run(OWN_DATABASE, [
        `insert into phone_counters (customer_id, kind, phone, hour_ends_at, hour_used, day_ends_at, day_used)
          select id, 'code', '+98${phone}', now() + interval '1 hour', 1000000, now() + interval '1 hour', 1000000
          from customers`
      ])
      const storm = Array.from({ length: most }, () => send(phone))
      await measure("refused all", { requests: storm, cycles: false })
      const some = toPhones(take(most), most, send).map((request, n) =>
        n % 10 === 0 ? send(phone) : request
      )
      await measure("refused some", { requests: some, cycles: false })
    }
    const wants = (measure: MeasureName) => measures.includes(measure)
    const most = MAX_PER_SECOND * seconds
    const { send, verify, status, message, scheduled } = dialect
    const cycles = name === "node-http"
    const sends = wants("send") || wants("verify") || wants("status")

    const wantsMessages = wants("message") || wants("message-whole")
    const settled = sends || wants("quiet") ? send : wantsMessages ? message : null
    if (settlingSeconds > 0 && settled !== null) {
      const count = MAX_PER_SECOND * settlingSeconds
      const requests = toPhones(take(count), count, settled)
      await load.run({ url, seconds: settlingSeconds, requests, cycles })
      if (settled === message && scheduled !== null) await allMessagesDone(store)
    }
    if (wants("quiet")) await measureQuiet()
    if (sends) await measure("send", { requests: toPhones(take(most), most, send), cycles })
    const targets = await subject.targets()
    if (wants("verify")) {
      const half = Math.floor(targets.length / 2)
      const wrong = targets.slice(half).map((target) => verify({ ...target, code: WRONG_CODE }))
      const tries = Array.from({ length: WRONG_CODES }, () => wrong).flat()
      await measure("verify wrong", { requests: tries, cycles: false })
      await measure("verify right", { requests: targets.slice(0, half).map(verify), cycles: false })
    }
    if (wants("status") && status !== null) {
      await measure("status", { requests: targets.map(status), cycles: true })
    }
    if (wants("refused")) {
      const [refused] = toPhones(take(1), 1, (phone) => phone)
      if (refused !== undefined) await measureRefusals(refused)
    }
    if (wantsMessages && message !== null) await measureMessages(toPhones(take(most), most, message))
    return runs
  }
}
