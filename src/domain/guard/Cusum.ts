/**
 * A one-sided CUSUM over codes that were verified or not: it grows with the likelihood that the conversion has fallen to
 * 0.4 of what it should be, against 0.85 of it. Values below 0 count as 0, so only the last run matters.
 */

/** The share of the expected conversion that still counts as normal, and the share that counts as an attack. */
const NORMAL_SHARE = 0.85
const ATTACK_SHARE = 0.4

/**
 * Alarms from here on. A conversion that stays at 0.85 of the expected one reaches it about once in e^12 = 160 000 codes;
 * codes that are never verified reach it after 36 (expected conversion 0.5), 21 (0.7) or 14 (0.85).
 */
export const ALARM_SCORE = 12

/** The amount that one code adds to the score. */
export const scoreOf = (isVerified: boolean, expected: number): number => {
  const normal = NORMAL_SHARE * expected
  const attack = ATTACK_SHARE * expected
  return isVerified ? Math.log(attack / normal) : Math.log((1 - attack) / (1 - normal))
}

/** The score after one more code. */
export const nextScore = (score: number, isVerified: boolean, expected: number): number =>
  Math.max(0, score + scoreOf(isVerified, expected))
