import { Schema } from "effect"
import { DAY_MILLIS, HOUR_MILLIS } from "../Instant.ts"

/** The limits of the platform, unless the operator or the customer has others; 0 switches one off. */
export const defaultLimits = {
  /** Codes and messages of one customer to one phone. */
  phoneHourLimit: 5,
  phoneDayLimit: 10,
  messagePhoneHourLimit: 30,
  messagePhoneDayLimit: 100,
  /** Codes of all customers to one phone. */
  platformPhoneDayLimit: 50,
  /** Requests of a service key; and of a token or a session for management. */
  keyMinuteLimit: 300,
  manageMinuteLimit: 600
}

/** How long what was sent to a phone counts; the next send after that begins a new window. SQL counts by them too. */
export const LIMIT_WINDOWS = { hour: HOUR_MILLIS, day: DAY_MILLIS }

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
  /** As many customers bomb it (see `Bombing.ts`); 0: they are not counted. */
  readonly callers: number
}
