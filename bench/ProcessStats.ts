/** The resources that processes used, from proc(5): Linux only, elsewhere null. */
import { readdirSync, readFileSync } from "node:fs"

/** The fields of stat from the state on. */
const statOf = (pid: number | string): ReadonlyArray<string> | null => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? null
  } catch {
    return null
  }
}

const PARENT = 1
/** User and system time. */
const TIMES = { own: [11, 12], children: [13, 14], all: [11, 12, 13, 14] }
const TICKS_PER_SECOND = 100

const secondsOf = (stat: ReadonlyArray<string>, whose: keyof typeof TIMES) =>
  TIMES[whose].reduce((sum, field) => sum + Number(stat[field]), 0) / TICKS_PER_SECOND

/** CPU seconds used so far by a process, by its children that have ended, or by all of these. */
export const cpuSeconds = (pid: number, whose: keyof typeof TIMES = "all"): number | null => {
  const stat = statOf(pid)
  return stat === null ? null : secondsOf(stat, whose)
}

/** The same for a process with all its children: PostgreSQL has one for each connection. */
export const familyCpuSeconds = (pid: number): number | null => {
  const own = cpuSeconds(pid)
  if (own === null) return null
  const stats = readdirSync("/proc").map((name) => (/^\d+$/.test(name) ? statOf(name) : null))
  const children = stats.filter((stat) => stat !== null && stat[PARENT] === String(pid))
  return children.reduce((sum, stat) => sum + (stat === null ? 0 : secondsOf(stat, "all")), own)
}

export const parentPid = (pid: number): number | null => {
  const stat = statOf(pid)
  return stat === null ? null : Number(stat[PARENT])
}

export const programName = (pid: number): string | null => {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim()
  } catch {
    return null
  }
}

/** Resident megabytes now. */
export const residentMegabytes = (pid: number): number | null => {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")
    return (Number(pages) * 4096) / 2 ** 20
  } catch {
    return null
  }
}

/** Its maximum of resident megabytes. */
export const peakMegabytes = (pid: number): number | null => {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    return kilobytes === undefined ? null : Number(kilobytes) / 1024
  } catch {
    return null
  }
}

/** The sum of a figure over several processes. */
export const sumOver = (pids: ReadonlyArray<number>, figure: (pid: number) => number | null): number | null =>
  pids.reduce<number | null>((sum, pid) => {
    const one = figure(pid)
    return sum === null || one === null ? null : sum + one
  }, 0)

/** Microseconds for each of so many requests. */
export const perRequest = (before: number | null, after: number | null, requests: number) =>
  before === null || after === null || requests === 0 ? null : ((after - before) * 1e6) / requests
