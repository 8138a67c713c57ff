import { Data } from "effect"

/** The result of checking an account with its provider. */
export type AccountFinding = Data.TaggedEnum<{
  /** `detail`: the provider's information, for people. `credit`: what is left to spend; null if it does not say. */
  Works: { readonly detail: string; readonly credit: number | null }
  /** The provider refuses the account. */
  Refused: { readonly reason: string }
  /** The provider could not be reached. */
  NotReached: { readonly reason: string }
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
