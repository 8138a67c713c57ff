import { Schema } from "effect"

/**
 * What is stored with a code for the guard: what enforcing would have done (it only recorded), that the code passed
 * whatever the guard knew (`exempt`), or the budget that it took from, if that is not the customer's (see `Whole`).
 */
export const Mark = Schema.Literals(["no_sms", "refuse", "exempt", "common", "known", "vouched"])
export type Mark = typeof Mark.Type

/**
 * The budgets of the customer as a whole, of which each code takes from one: that of all codes, that of codes with much
 * in common, and those of codes that pass because their network is known here, or to other customers.
 */
export type Whole = "all" | "common" | "known" | "vouched"

/** The budget of the customer that a code took from; null: it took from none, nor from those of its parts. */
export const wholeTaken = (mark: Mark | null): Whole | null => {
  if (mark === "common" || mark === "known" || mark === "vouched") return mark
  return mark === "exempt" || mark === "refuse" ? null : "all"
}
