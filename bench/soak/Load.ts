/** Endless users: each does one thing after the other, until the load is stopped. */
import { setTimeout as pause } from "node:timers/promises"
import { blunder, guess, ignore, repeat, signIn } from "./Codes.ts"
import type { Customer } from "./Customers.ts"
import type { Subject } from "./Journal.ts"
import { sendText, sendTextEverywhere, sendTextLater } from "./Messages.ts"
import { type Random, randomOf } from "./Random.ts"
import type { World } from "./Statuses.ts"

interface Scenario {
  readonly kind: Subject["kind"] | "none"
  /** The share of this scenario among all. */
  readonly weight: number
  readonly play: (world: World, subject: Subject, random: Random) => Promise<void>
}

const scenarios: ReadonlyArray<Scenario> = [
  { kind: "code", weight: 40, play: signIn },
  { kind: "code", weight: 8, play: guess },
  { kind: "code", weight: 16, play: ignore },
  { kind: "code", weight: 10, play: repeat },
  { kind: "message", weight: 12, play: sendText },
  { kind: "message", weight: 8, play: sendTextEverywhere },
  { kind: "message", weight: 8, play: sendTextLater },
  { kind: "none", weight: 4, play: blunder }
]

const totalWeight = scenarios.reduce((sum, { weight }) => sum + weight, 0)

const chooseScenario = (random: Random): Scenario => {
  let left = random.next() * totalWeight
  const chosen = scenarios.find(({ weight }) => (left -= weight) < 0)
  return chosen ?? random.pick(scenarios)
}

/** The n-th phone. Each is used once, so that all sends to it belong together. */
export const phoneOf = (nth: number): string => `+98912${String(nth).padStart(7, "0")}`

export interface Load {
  /** Nothing new begins until it is resumed; work in progress is finished. */
  readonly rest: () => Promise<void>
  readonly resume: () => void
  readonly stop: () => Promise<void>
  readonly played: () => number
}

export interface LoadOptions {
  readonly seed: string
  readonly users: number
  readonly customers: ReadonlyArray<Customer>
  /** The number of the first phone; 0 by default. */
  readonly firstPhone?: number
}

const REST_LOOK_MILLIS = 50

export const startLoad = (world: World, { seed, users, customers, firstPhone = 0 }: LoadOptions): Load => {
  const state = { played: 0, busy: 0, isResting: false, isStopped: false }

  const playOne = async () => {
    const nth = firstPhone + state.played
    state.played += 1
    const random = randomOf(seed, "scenario", nth)
    const { kind, play } = chooseScenario(random)
    const customer = random.pick(customers)
    const phone = phoneOf(nth)
    // A request that is refused in any case is not expected anywhere.
    const subject =
      kind === "none"
        ? { ...world.journal.newSubject("code", customer, phone) }
        : world.journal.newSubject(kind, customer, phone)
    await play(world, subject, random)
    await pause(random.between(20, 250))
  }

  const live = async () => {
    while (!state.isStopped && !world.journal.isFull) {
      if (state.isResting) {
        await pause(REST_LOOK_MILLIS)
        continue
      }
      state.busy += 1
      await playOne()
      state.busy -= 1
    }
  }

  const lives = Array.from({ length: users }, live)
  return {
    rest: async () => {
      state.isResting = true
      while (state.busy > 0) await pause(REST_LOOK_MILLIS)
    },
    resume: () => {
      state.isResting = false
    },
    stop: async () => {
      state.isStopped = true
      await Promise.all(lives)
    },
    played: () => state.played
  }
}
