import { Data } from "effect"
import type { Instant } from "../Instant.ts"
import type { SendKind, SkipCounts } from "./Pace.ts"
import type { AttemptErrorCode } from "../ProviderOutcome.ts"

/** How well an account sends by one means. */
interface Condition {
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
  /** Its last reserved slot, or the time before which none starts; null: there is none. */
  readonly lastSlotAt: Instant | null
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
  /** Of calls only. */
  | { readonly _tag: "OutOfHours"; readonly until: Instant }

/** Null: it can send now, or after its gap. */
export const blockageOf = (state: AccountState, kind: SendKind, now: Instant): Blockage | null => {
  const { failures, coolingUntil } = kind === "code" ? state.codes : state.texts
  if (coolingUntil !== null && coolingUntil > now) return { _tag: "Cooling", until: coolingUntil, failures }
  const isAtRate = state.perMinute > 0 && state.usedOfMinute >= state.perMinute
  return isAtRate ? { _tag: "AtRate", until: state.minuteFreeAt } : null
}

/** What is left to spend, in the provider's own unit; null if it does not say. */
export type Credit = number | null

/** The result of checking an account with its provider. */
export type AccountFinding = Data.TaggedEnum<{
  /** `detail`: the provider's information, for people. */
  Works: { readonly detail: string; readonly credit: Credit }
  /** The provider refuses the account, or a part of its settings: then it may still say what is left to spend. */
  Refused: { readonly reason: string; readonly credit: Credit }
  /** The provider could not be asked everything. */
  NotReached: { readonly reason: string; readonly credit: Credit }
  /** The provider has no call that shows this without changing anything. */
  CannotBeChecked: {}
}>
export const AccountFinding = Data.taggedEnum<AccountFinding>()

/** A finding as it is stored and shown. */
interface CheckResult {
  readonly result: "works" | "refused" | "not_reached" | "cannot_be_checked"
  /** The provider's own words. */
  readonly detail: string | null
}

export const checkResultOf: (finding: AccountFinding) => CheckResult = AccountFinding.$match({
  Works: ({ detail }): CheckResult => ({ result: "works", detail }),
  Refused: ({ reason }): CheckResult => ({ result: "refused", detail: reason }),
  NotReached: ({ reason }): CheckResult => ({ result: "not_reached", detail: reason }),
  CannotBeChecked: (): CheckResult => ({ result: "cannot_be_checked", detail: null })
})

export interface SendingSettings {
  readonly codes: ReadonlyArray<string>
  readonly texts: ReadonlyArray<string>
}

/** The settings that an SMS account needs to send codes, and texts. Accounts of other providers need none. */
export const sendingSettings = {
  smsir: { codes: ["otp_template_id"], texts: ["line_number"] },
  kavenegar: { codes: ["otp_template"], texts: ["sender"] },
  ippanel: { codes: ["from_number", "otp_pattern"], texts: ["from_number"] },
  melipayamak: { codes: ["otp_body_id"], texts: ["from"] },
  ghasedak: { codes: ["otp_template"], texts: ["line_number"] },
  farazsms: { codes: ["otp_pattern"], texts: ["line_number"] }
} as const satisfies Readonly<Record<string, SendingSettings>>

/** Why an account sends nothing. `needed`: the `sendingSettings` of its provider; null: an unknown provider. */
export const whySendsNothing = (needed: SendingSettings | null | undefined): string =>
  needed == null
    ? "it sends neither codes nor messages over this channel"
    : `it needs ${needed.codes.join(" and ")} for codes, and ${needed.texts.join(" and ")} for messages`

const byProvider: ReadonlyMap<string, SendingSettings> = new Map(Object.entries(sendingSettings))

/** What an account of this provider needs to send codes, or texts. */
export const settingsNeeded = (provider: string, kind: SendKind): ReadonlyArray<string> =>
  byProvider.get(provider)?.[kind === "code" ? "codes" : "texts"] ?? []

/** Settings by name; null removes one. */
export type SettingsChange = Readonly<Record<string, unknown>>

/** The settings after a change of some of them. */
export const changedSettings = (
  stored: unknown,
  change: SettingsChange
): Readonly<Record<string, unknown>> => {
  const before = typeof stored === "object" && stored !== null ? stored : {}
  return Object.fromEntries(
    Object.entries({ ...before, ...change }).filter(([, value]) => value !== null && value !== undefined)
  )
}
