import { Schema } from "effect"

/**
 * What is stored with a code for the guard: what enforcing would have done (it only recorded), that the code passed
 * whatever the guard knew (`exempt`), or that it passed as its network is known good (`known`).
 */
export const Mark = Schema.Literals(["no_sms", "refuse", "exempt", "known"])
export type Mark = typeof Mark.Type

/** The budgets that a code took from: those of all its segments, of all but the customer's, or none. */
export type BudgetsTaken = "all" | "parts" | "none"

export const budgetsTaken = (mark: Mark | null): BudgetsTaken => {
  if (mark === "known") return "parts"
  return mark === "exempt" || mark === "refuse" ? "none" : "all"
}
