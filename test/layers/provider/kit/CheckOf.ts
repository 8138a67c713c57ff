import { Effect } from "effect"
import { examine } from "../../../../src/services/provider/AccountExamination.ts"
import { AccountProblem, type ProviderConnection } from "../../../../src/services/provider/ProviderAdapter.ts"

/** What people are shown of an account that works; fails with what is wrong with it. */
export const checkOf = Effect.fnUntraced(function* (account: ProviderConnection) {
  const finding = yield* examine(account)
  switch (finding._tag) {
    case "Works":
      return finding.detail
    case "Refused":
    case "NotReached":
      return yield* new AccountProblem({ message: finding.reason, isDefinite: finding._tag === "Refused" })
    case "CannotBeChecked":
      return yield* Effect.die("no check")
  }
})
