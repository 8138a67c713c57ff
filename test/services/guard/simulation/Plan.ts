import type { GuardMode } from "../../../../src/domain/guard/GuardSettings.ts"
import type { Random } from "../../../../bench/soak/Random.ts"
import { type Attack, attacks, type Lost } from "./Attacks.ts"
import { DAY, type Habits, HOUR } from "./Users.ts"

export interface Plan {
  readonly seed: string
  readonly days: number
  /** The codes of users in a day: of the first customer, and of each other customer. */
  readonly codesPerDay: readonly [first: number, others: number]
  readonly customers: number
  readonly attacks: (random: Random, customers: number) => ReadonlyArray<Attack>
  readonly lost: ReadonlyArray<Lost>
  readonly mode: GuardMode
  /** Of the first customer's users. */
  readonly habits?: Habits
}

export interface AttackOutcome {
  readonly name: string
  readonly codes: number
  /** Sent, of the segment with the most. */
  readonly leaked: number
}

export interface Outcome {
  readonly codes: number
  readonly refused: number
  /** Users whose codes lost their SMS. */
  readonly withoutSms: number
  /** Refused while a provider's outage lasted. */
  readonly refusedInOutage: number
  readonly attacks: ReadonlyArray<AttackOutcome>
  readonly refusedDuring: Readonly<Record<string, number>>
  /** When users of the first customer were refused. */
  readonly refusedAt: ReadonlyArray<number>
  /** The outages that the guard saw with the first customer. */
  readonly outages: ReadonlyArray<{ readonly from: number; readonly until: number | null }>
}

const CUSTOMERS = 6

/** Thirty days; an attack every three days from the second on, and two outages. */
export const thirtyDays = (seed: string, mode: GuardMode = "enforcing"): Plan => ({
  seed,
  days: 30,
  codesPerDay: [400, 40],
  customers: CUSTOMERS,
  attacks: (random, customers) =>
    attacks(random, (nth) => (2 + nth * 3) * DAY + 15 * HOUR, 25 * DAY + 3 * HOUR, customers, 1),
  lost: [
    { channel: "sms", from: 26 * DAY + 14 * HOUR, until: 26 * DAY + 17 * HOUR },
    { channel: "bale", from: 28 * DAY + 14 * HOUR, until: 28 * DAY + 17 * HOUR }
  ],
  mode
})

/**
 * The same in a day, with a fifteenth of the codes of an attack, and one outage. It was a tenth while a third of the
 * numbers were taken for invalid ones: as many codes reach the guard.
 */
export const oneDay = (seed: string, scale = 1 / 15): Plan => ({
  seed,
  days: 1,
  codesPerDay: [250, 20],
  customers: CUSTOMERS,
  attacks: (random, customers) => attacks(random, (nth) => (6 + nth * 2) * HOUR, 3 * HOUR, customers, scale),
  lost: [{ channel: "sms", from: 22 * HOUR, until: 24 * HOUR }],
  mode: "enforcing"
})
