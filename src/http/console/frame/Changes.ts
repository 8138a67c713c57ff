import type { Effect } from "effect"
import type { IdempotencyKeyConflict } from "../../../domain/Errors.ts"
import {
  type Change,
  ManagementWrites,
  type WriteAnswer
} from "../../../services/resources/ManagementWrites.ts"
import type { View } from "./SignedRoutes.ts"

/**
 * A change by the person who is signed in: one transaction with its entry in the audit log, as by the management API.
 * `operation` is the name that the management API has for it.
 */
export const write = <E, R>(
  { actor, origin }: View,
  operation: string,
  change: Effect.Effect<Change, E, R>
): Effect.Effect<WriteAnswer, E | IdempotencyKeyConflict, R | ManagementWrites> =>
  ManagementWrites.use((writes) =>
    writes.write({ actor, origin, operation, status: 200, idempotency: undefined }, change)
  )
