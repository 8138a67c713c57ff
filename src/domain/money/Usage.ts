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

/** The reported period. By default it ends now and covers 30 days, including today. */
export const usagePeriod = (
  { from, to }: TimeRange,
  now: Instant
): Result.Result<UsagePeriod, ValidationError> => {
  const end = to ?? now
  // It begins at midnight UTC, because days are in UTC.
  const begin = from ?? (Math.ceil(end / DAY_MILLIS) - DEFAULT_DAYS) * DAY_MILLIS
  if (begin >= end) return refused("from", "Expected a time before the end of the period")
  if (end - begin > MAX_USAGE_DAYS * DAY_MILLIS) {
    return refused("from", `Expected a period of at most ${MAX_USAGE_DAYS} days`)
  }
  return Result.succeed({ from: begin, to: end })
}

/** How figures are grouped. */
export interface UsageGrouping {
  readonly byDay: boolean
  readonly byChannel: boolean
}

/** The requests and their outcomes. Everything counts for the day on which the request was accepted. */
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
  /** From creation to the right code; null without one. */
  readonly medianSeconds: number | null
}

export interface UsageGroup {
  /** `2026-03-21`, in UTC; null if days are not separated. */
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

/** `verified` divided by `accepted`; null if nothing was accepted. */
export const conversion = ({ accepted, verified }: CodeUsage): number | null =>
  accepted === 0 ? null : Math.round((verified / accepted) * 10_000) / 10_000
