/**
 * Fresh processes that get the full load at once: how many requests they refuse, how long the others take, and after how
 * many seconds they are as fast as when they are warm.
 */
import type { LoadGenerator } from "./Load.ts"
import { cpuSeconds, perRequest, sumOver } from "./ProcessStats.ts"
import { between, latenciesOf, perSecondOf, type Recording } from "./Recording.ts"
import { toPhones } from "./Requests.ts"
import { median } from "./Statistics.ts"
import type { Subject } from "./Subject.ts"

export interface ColdResult {
  readonly subject: string
  /** In the first seconds. */
  readonly answered: number
  readonly refused: number
  readonly p50: number
  readonly p99: number
  /** The same of the seconds after these, when the processes are warm. */
  readonly warmPerSecond: number
  readonly warmP99: number
  /** From this second on the rate is the full one. */
  readonly fullAfterSeconds: number
  readonly errors: number
  /** Of all seconds. */
  readonly programCpu: number | null
  readonly perSecond: ReadonlyArray<number>
}

const COLD_SECONDS = 15
const SECOND_MILLIS = 1000
const FULL_SHARE = 0.9

/** The first second from which on three seconds reach the full rate: a single one may do so by chance. */
export const fullAfter = (perSecond: ReadonlyArray<number>, full: number): number => {
  const reaches = (count: number) => count >= FULL_SHARE * full
  const first = perSecond.findIndex(
    (_, second) => second + 3 <= perSecond.length && perSecond.slice(second, second + 3).every(reaches)
  )
  return first === -1 ? perSecond.length : first
}

/** @param seconds of a cold process, and as many of a warm one after them */
export const coldResultOf = (
  recording: Recording,
  seconds: number
): Omit<ColdResult, "subject" | "programCpu"> => {
  const cold = between(recording, 0, seconds * SECOND_MILLIS)
  const warm = between(recording, seconds * SECOND_MILLIS, 2 * seconds * SECOND_MILLIS)
  const perSecond = perSecondOf(recording, 2 * seconds)
  const warmPerSecond = median(perSecond.slice(seconds))
  const { p50, p99 } = latenciesOf(cold.took)
  return {
    answered: cold.at.length,
    refused: cold.refusedAt.length,
    p50,
    p99,
    warmPerSecond,
    warmP99: latenciesOf(warm.took).p99,
    fullAfterSeconds: fullAfter(perSecond, warmPerSecond),
    errors: recording.errors,
    perSecond
  }
}

/** More than any program sends. */
const MAX_PER_SECOND = 10_000

/** @param start a fresh one */
export const measureCold = async (
  start: () => Promise<Subject>,
  load: LoadGenerator,
  takePhones: (count: number) => number,
  seconds = COLD_SECONDS
): Promise<ColdResult> => {
  const subject = await start()
  try {
    const count = 2 * seconds * MAX_PER_SECOND
    const requests = toPhones(takePhones(count), count, subject.dialect.send)
    const cpuBefore = sumOver(subject.pids, cpuSeconds)
    const { url, name } = subject
    const recording = await load.record({ url, requests, cycles: name === "node-http", seconds: 2 * seconds })
    const sent = recording.at.length + recording.refusedAt.length
    const result: ColdResult = {
      subject: name,
      ...coldResultOf(recording, seconds),
      programCpu: perRequest(cpuBefore, sumOver(subject.pids, cpuSeconds), sent)
    }
    process.stderr.write(
      `${name} cold: ${result.refused} refused of ${result.answered + result.refused}, p99 ${result.p99.toFixed(0)} ms, ` +
        `warm ${result.warmP99.toFixed(0)} ms, full rate after ${result.fullAfterSeconds} s\n`
    )
    return result
  } finally {
    await subject.stop()
  }
}
