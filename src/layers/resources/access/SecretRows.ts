import { Schema } from "effect"
import { InstantColumn } from "../../postgres/SqlRows.ts"

/** The times in the row of a key or a token. */
export const secretTimes = {
  createdAt: InstantColumn,
  expiresAt: Schema.NullOr(InstantColumn),
  revokedAt: Schema.NullOr(InstantColumn),
  lastUsedAt: Schema.NullOr(InstantColumn)
}
