import { AccountFinding } from "../../domain/account/AccountState.ts"

/** The result of checking an account, in one line for people. */
export const describeFinding: (finding: AccountFinding) => string = AccountFinding.$match({
  Works: ({ detail }) => `works: ${detail}`,
  Refused: ({ reason }) => `refused: ${reason}`,
  NotReached: ({ reason }) => `the provider could not be asked: ${reason}`,
  CannotBeChecked: () => "the provider offers no check"
})
