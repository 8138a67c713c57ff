import { Effect } from "effect"
import { AccountFinding, type Credit } from "../../domain/account/AccountState.ts"
import { keptText } from "../../domain/ProviderOutcome.ts"
import type { AccountProblem, ProviderConnection } from "./ProviderAdapter.ts"

const findingOf = ({ message, isDefinite }: AccountProblem, credit: Credit): AccountFinding => {
  const found = { reason: keptText(message), credit }
  return isDefinite ? AccountFinding.Refused(found) : AccountFinding.NotReached(found)
}

const findingWith = (check: Effect.Effect<string, AccountProblem>, credit: Credit) =>
  Effect.match(check, {
    onSuccess: (detail) => AccountFinding.Works({ detail: keptText(detail), credit }),
    onFailure: (problem) => findingOf(problem, credit)
  })

const inWords = (credit: Credit, warning: string) =>
  [`credit ${credit ?? "unknown"}`, ...(warning === "" ? [] : [warning])].join("; ")

/**
 * Whether an account works, by calls that change nothing.
 *
 * Asks for the credit first: an account whose template is wrong has one too. If that fails, nothing else is asked,
 * because providers block those who come with wrong credentials too often.
 */
export const examine = ({
  check,
  credit
}: Pick<ProviderConnection, "check" | "credit">): Effect.Effect<AccountFinding> => {
  if (check === null) return Effect.succeed(AccountFinding.CannotBeChecked())
  if (credit === undefined) return findingWith(check, null)
  return Effect.matchEffect(credit, {
    onSuccess: (amount) => {
      const known = Number.isFinite(amount) ? amount : null
      return findingWith(
        Effect.map(check, (warning) => inWords(known, warning)),
        known
      )
    },
    onFailure: (problem) => Effect.succeed(findingOf(problem, null))
  })
}
