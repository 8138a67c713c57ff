import { Schema } from "effect"

/**
 * What is stored with a code for the guard: what enforcing would have done (it only recorded), or that the code passed
 * whatever the guard knew.
 */
export const Mark = Schema.Literals(["no_sms", "refuse", "exempt"])
export type Mark = typeof Mark.Type
