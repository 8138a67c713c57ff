import type { Instant } from "../Instant.ts"
import type { CheckResult } from "./AccountFinding.ts"
import type { SendKind, SkipCounts } from "./Pace.ts"
import type { AttemptErrorCode } from "./ProviderOutcome.ts"

/** How well an account sends by one means. */
export interface Condition {
  /** Failures in a row. */
  readonly failures: number
  readonly coolingUntil: Instant | null
}

/** The result of the last check of an account with its provider. */
export interface LastCheck extends CheckResult {
  readonly at: Instant
}

/** The last failure that was not a recipient's: of a send, or of a check that the provider refused. */
export interface LastError {
  readonly code: AttemptErrorCode
  /** The provider's own words. */
  readonly message: string
  readonly at: Instant
}

/** An account at one moment: its pace, how much of it is used, and whether it may send. */
export interface AccountState {
  readonly gapMillis: number
  /** Sends in any minute; 0: no limit. */
  readonly perMinute: number
  /** Slots of the last minute, and those reserved; counted only up to the rate. */
  readonly usedOfMinute: number
  /** When the first of these leaves the minute, so that another send may begin; null: none is there. */
  readonly minuteFreeAt: Instant | null
  readonly codes: Condition
  readonly texts: Condition
  readonly lastCheck: LastCheck | null
  /** The credit that the provider reported last, in its own unit; null: it never reported one. */
  readonly credit: number | null
  /** Steps of codes that skipped it in the last hour. */
  readonly skips: SkipCounts
}

/** Why an account would be skipped now. */
export type Blockage =
  | { readonly _tag: "Cooling"; readonly until: Instant; readonly failures: number }
  | { readonly _tag: "AtRate"; readonly until: Instant | null }

/** Null: it can send now, or after its gap. */
export const blockageOf = (state: AccountState, kind: SendKind, now: Instant): Blockage | null => {
  const { failures, coolingUntil } = kind === "code" ? state.codes : state.texts
  if (coolingUntil !== null && coolingUntil > now) return { _tag: "Cooling", until: coolingUntil, failures }
  const isAtRate = state.perMinute > 0 && state.usedOfMinute >= state.perMinute
  return isAtRate ? { _tag: "AtRate", until: state.minuteFreeAt } : null
}
