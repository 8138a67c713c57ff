import { Data } from "effect"

/** What checking an account with its provider has shown. */
export type AccountFinding = Data.TaggedEnum<{
  /** `detail`: what the provider told, for people. */
  Works: { readonly detail: string }
  /** The provider refuses the account. */
  Refused: { readonly reason: string }
  /** The provider could not be asked. */
  NotReached: { readonly reason: string }
  /** The provider has no call that would show it and change nothing. */
  CannotBeChecked: {}
}>
export const AccountFinding = Data.taggedEnum<AccountFinding>()
