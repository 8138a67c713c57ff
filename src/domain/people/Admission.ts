import { DateTime, Schema } from "effect"
import type { Instant } from "../Instant.ts"

const Limit = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))

const limits = <S extends Schema.Top>(limit: S) => ({
  phone_hour: limit,
  phone_day: limit,
  message_phone_hour: limit,
  message_phone_day: limit,
  key_minute: limit,
  monthly_quota: limit
})

/** A customer's own limits. A missing one is the platform's, and 0 switches a limit off. */
export const LimitOverrides = Schema.Struct(limits(Schema.optionalKey(Limit)))
export type LimitOverrides = typeof LimitOverrides.Type

/** A missing one stays as it is; null: the platform's again. */
export const LimitChange = Schema.Struct(limits(Schema.optionalKey(Schema.NullOr(Limit))))
export type LimitChange = typeof LimitChange.Type

/** How many sends to one phone are allowed; 0: no limit. */
export interface PhoneLimits {
  readonly hour: number
  readonly day: number
  /** The limit for all customers together. */
  readonly platformDay: number
  /** How many customers may send to it within ten minutes; 0: they are not counted. */
  readonly callers: number
}

/** The conditions for accepting a request, which are also counted. */
export interface Admission {
  readonly phone: PhoneLimits
  /** Accepted requests in a calendar month; 0: no limit. */
  readonly monthlyQuota: number
  /** The amount that the wallet must cover, in rials; 0 needs no wallet. */
  readonly hold: number
}

/** Whole seconds from `now` until then, at least one. */
export const retryAfterSeconds = (until: Instant, now: Instant): number =>
  Math.max(1, Math.ceil((until - now) / 1000))

/** The calendar month, in UTC, in which a request is counted: its first day, and when the next month begins. */
export const monthOf = (now: Instant) => {
  const start = DateTime.startOf(DateTime.makeUnsafe(now), "month")
  return {
    start: DateTime.formatIsoDateUtc(start),
    end: DateTime.toEpochMillis(DateTime.add(start, { months: 1 }))
  }
}
