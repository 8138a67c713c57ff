import { Data } from "effect"

/** The result of checking an account with its provider. */
export type AccountFinding = Data.TaggedEnum<{
  /** `detail`: the provider's information, for people. */
  Works: { readonly detail: string }
  /** The provider refuses the account. */
  Refused: { readonly reason: string }
  /** The provider could not be reached. */
  NotReached: { readonly reason: string }
  /** The provider has no call that shows this without changing anything. */
  CannotBeChecked: {}
}>
export const AccountFinding = Data.taggedEnum<AccountFinding>()
