import { Schema } from "effect"

/**
 * The guard's mark on a code: what enforcing would have done (it only recorded), or that the code passed
 * whatever the guard knew.
 */
export const Mark = Schema.Literals(["no_sms", "refuse", "exempt"])
export type Mark = typeof Mark.Type
