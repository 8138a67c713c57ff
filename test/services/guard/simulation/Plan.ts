import type { GuardMode } from "../../../../src/domain/guard/GuardSettings.ts"
import type { Lost } from "./Attacks.ts"
import { DAY, HOUR } from "./Users.ts"

export interface Plan {
  readonly seed: string
  readonly days: number
  /** The codes of users in a day: of the first customer, and of each other customer. */
  readonly codesPerDay: readonly [first: number, others: number]
  readonly attackAt: (nth: number) => number
  /** The attack in the quietest hours starts then. */
  readonly nightAttackAt: number
  /** The factor for the number of codes of each attack. */
  readonly scale: number
  readonly lost: ReadonlyArray<Lost>
  readonly mode: GuardMode
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
}

/** Thirty days; an attack every three days from the second on, and two outages. */
export const thirtyDays = (seed: string, mode: GuardMode = "enforcing"): Plan => ({
  seed,
  days: 30,
  codesPerDay: [400, 40],
  attackAt: (nth) => (2 + nth * 3) * DAY + 15 * HOUR,
  nightAttackAt: 25 * DAY + 3 * HOUR,
  scale: 1,
  lost: [
    { channel: "sms", from: 26 * DAY + 14 * HOUR, until: 26 * DAY + 17 * HOUR },
    { channel: "bale", from: 28 * DAY + 14 * HOUR, until: 28 * DAY + 17 * HOUR }
  ],
  mode
})

/** The same in a day, with a tenth of the codes of an attack, and one outage. */
export const oneDay = (seed: string): Plan => ({
  seed,
  days: 1,
  codesPerDay: [250, 20],
  attackAt: (nth) => (6 + nth * 2) * HOUR,
  nightAttackAt: 3 * HOUR,
  scale: 0.1,
  lost: [{ channel: "sms", from: 22 * HOUR, until: 24 * HOUR }],
  mode: "enforcing"
})
