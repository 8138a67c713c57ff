import { Schema } from "effect"

/** `record` counts what would be refused; `enforcing` refuses it; `off` does neither. */
export const GuardMode = Schema.Literals(["off", "record", "enforcing"])
export type GuardMode = typeof GuardMode.Type

export const DEFAULT_MODE: GuardMode = "record"

const Amount = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))

export const GuardSettings = Schema.Struct({
  mode: GuardMode,
  /** The customer's own budget of unverified codes in an hour; 0: none; null: by its usual traffic. */
  unverifiedHour: Schema.NullOr(Amount),
  /** The price of one SMS to the customer, in rials: for the report of what was saved. */
  smsPrice: Schema.NullOr(Amount)
})
export type GuardSettings = typeof GuardSettings.Type

export const defaultGuard: GuardSettings = { mode: DEFAULT_MODE, unverifiedHour: null, smsPrice: null }

export const GuardList = Schema.Literals(["allow", "deny"])
export type GuardList = typeof GuardList.Type

export const EntryType = Schema.Literals(["phone", "prefix", "ip"])
export type EntryType = typeof EntryType.Type

/** One entry of a customer's allow or deny list. */
export const GuardEntry = Schema.Struct({ list: GuardList, type: EntryType, value: Schema.String })
export type GuardEntry = typeof GuardEntry.Type

/** Entries of both lists together. */
export const MAX_ENTRIES = 1000
