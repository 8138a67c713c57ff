import { Result } from "effect"
import { ValidationError } from "../Errors.ts"
import type { Instant } from "../Instant.ts"
import type { TimeRange } from "../TimePosition.ts"

const DAY_MILLIS = 86_400_000
const DEFAULT_DAYS = 30
export const MAX_USAGE_DAYS = 92

export interface UsagePeriod {
  readonly from: Instant
  readonly to: Instant
}

const refused = (field: string, message: string) =>
  Result.fail(new ValidationError({ details: { errors: [{ path: `query.${field}`, message }] } }))

/** The period that is reported on: up to now, and 30 days with today, where nothing else is said. */
export const usagePeriod = (
  { from, to }: TimeRange,
  now: Instant
): Result.Result<UsagePeriod, ValidationError> => {
  const end = to ?? now
  // From a midnight in UTC, since days are.
  const begin = from ?? (Math.ceil(end / DAY_MILLIS) - DEFAULT_DAYS) * DAY_MILLIS
  if (begin >= end) return refused("from", "Expected a time before the end of the period")
  if (end - begin > MAX_USAGE_DAYS * DAY_MILLIS) {
    return refused("from", `Expected a period of at most ${MAX_USAGE_DAYS} days`)
  }
  return Result.succeed({ from: begin, to: end })
}

/** What numbers are told apart by. */
export interface UsageGrouping {
  readonly byDay: boolean
  readonly byChannel: boolean
}

/** What was asked to be sent, and what became of it. Everything counts for the day on which it was accepted. */
export interface SendUsage {
  readonly accepted: number
  /** Attempts that a provider accepted. */
  readonly sent: number
  /** Attempts that failed. */
  readonly failed: number
  /** Failed attempts by error code. */
  readonly errors: Readonly<Record<string, number>>
  readonly delivered: number
  readonly undelivered: number
  /** In rials. */
  readonly cost: number
}

export interface CodeUsage extends SendUsage {
  readonly verified: number
  /** From creation to the right code; null when there was none. */
  readonly medianSeconds: number | null
}

export interface UsageGroup {
  /** `2026-03-21`, in UTC; null when days are not told apart. */
  readonly day: string | null
  readonly channel: string | null
  readonly codes: CodeUsage
  readonly messages: SendUsage
}

export const noSends: SendUsage = {
  accepted: 0,
  sent: 0,
  failed: 0,
  errors: {},
  delivered: 0,
  undelivered: 0,
  cost: 0
}

export const noCodes: CodeUsage = { ...noSends, verified: 0, medianSeconds: null }

/** Which part of the accepted was verified; null when nothing was accepted. */
export const conversion = ({ accepted, verified }: CodeUsage): number | null =>
  accepted === 0 ? null : Math.round((verified / accepted) * 10_000) / 10_000
