// @effect-diagnostics processEnv:off
/**
 * How long a call of a provider takes, the same for all subjects: half of the calls take N ms, a tenth four times as
 * long, and the rest something between.
 */
import { setTimeout as pause } from "node:timers/promises"

const QUICK = 0.5
const SLOW = 0.9
const SLOWEST = 4

/** @param share of the calls that are quicker, from 0 to 1 */
export const delayAt = (share: number, millis: number): number => {
  if (share < QUICK) return millis
  if (share >= SLOW) return SLOWEST * millis
  return millis * SLOWEST ** ((share - QUICK) / (SLOW - QUICK))
}

/** The mean of all calls: the integral of `delayAt` over the shares. */
export const meanDelay = (millis: number): number => {
  const between = ((SLOW - QUICK) * (SLOWEST - 1)) / Math.log(SLOWEST)
  return (QUICK + between + (1 - SLOW) * SLOWEST) * millis
}

/** A tenth of the calls take so long: no subject's p99 is shorter. */
export const slowestDelay = (millis: number): number => SLOWEST * millis

/**
 * The most sends in a second with so many connections, each of which waits for its response before the next request: those
 * of a subject that takes no time itself.
 */
export const mostPerSecond = (connections: number, millis: number): number =>
  (connections * 1000) / meanDelay(millis)

/** Spreads consecutive calls evenly, so that each second of a run has quick and slow ones. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2

/** The delays of consecutive calls. */
export const delaysOf = (millis: number): (() => number) => {
  let nth = 0
  return () => {
    nth += 1
    return delayAt((nth * GOLDEN_RATIO) % 1, millis)
  }
}

/** What `--provider-millis` gives to the subjects. 0: a provider accepts at once. */
export const PROVIDER_MILLIS = "BENCH_PROVIDER_MILLIS"
export const providerMillis = (): number => Number(process.env[PROVIDER_MILLIS] ?? 0)

const atOnce = async () => {}

/** For the references: waits as long as a provider takes. */
export const makeProviderWait = (): (() => Promise<void>) => {
  const millis = providerMillis()
  if (millis === 0) return atOnce
  const next = delaysOf(millis)
  return () => pause(next())
}
