import { Effect, Schema } from "effect"
import { type AuditEntry, ManagementWrites } from "../../../../services/resources/ManagementWrites.ts"
import type { View } from "../SignedRoutes.ts"

/** The result of a change, and its entry in the audit log. */
export interface ConsoleChange<A> {
  readonly result: A
  readonly audit: AuditEntry
}

/** Makes a change in the name of who is signed in: one transaction with its entry, as the management API does. */
export const writeAs = Effect.fnUntraced(function* <A, E, R>(
  { actor, origin }: Pick<View, "actor" | "origin">,
  operation: string,
  change: Effect.Effect<ConsoleChange<A>, E, R>
) {
  const writes = yield* ManagementWrites
  const request = { actor, origin, operation, status: 200, idempotency: undefined }
  let made: ConsoleChange<A> | undefined
  const noted = Effect.map(change, (each) => {
    made = each
    return { body: null, audit: each.audit }
  })
  yield* Effect.catchTag(writes.write(request, noted), "idempotency_key_conflict", Effect.die)
  return made === undefined ? yield* Effect.die("a change was written that was not made") : made.result
})

/**
 * The same for a change that creates or sends something. If the form is sent again, the change is not made again: its
 * result is that of the first time, which is stored encrypted.
 */
export const writeOnce = Effect.fnUntraced(function* <S extends Schema.Codec<unknown, unknown>, E, R>(
  { actor, origin, sent }: Pick<View, "actor" | "origin" | "sent">,
  operation: string,
  schema: S,
  change: Effect.Effect<ConsoleChange<S["Type"]>, E, R>
) {
  const writes = yield* ManagementWrites
  const request = { actor, origin, operation, status: 200, idempotency: sent }
  const kept = Effect.flatMap(change, ({ result, audit }) =>
    Effect.map(Effect.orDie(Schema.encodeEffect(schema)(result)), (body) => ({ body, audit }))
  )
  const { body } = yield* writes.write(request, kept)
  return yield* Effect.orDie(Schema.decodeUnknownEffect(schema)(body))
})
