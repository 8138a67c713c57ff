import { Data } from "effect"

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
export interface CheckResult {
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
