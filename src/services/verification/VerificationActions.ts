import { Effect, Schema } from "effect"
import { optional, PositiveInt } from "../../domain/Fields.ts"
import { action, NoInput } from "../Action.ts"
import { Timers } from "../timer/Timers.ts"
import { Verifications } from "./Verifications.ts"

/** Its events are due, once they are committed. */
const wake = Timers.use((timers) => Effect.sync(() => timers.wakeAt(0)))

/** Nothing more is tried, and the entry is written in the same transaction. */
export const cancelVerification = action("verification.cancel", {
  input: NoInput,
  target: Schema.String,
  access: "writer",
  run: ({ actor: { customerId }, target: id }) =>
    Verifications.use((verifications) => verifications.cancel({ customerId, id })),
  audit: (_, { target }) => ({ id: target }),
  after: wake
})

/**
 * Tries the next channel now, or the one that is named. That calls a provider, which no transaction may wait for, and which no rollback takes
 * back: so it is done before the transaction of the entry.
 */
export const tryNextChannel = action("verification.next", {
  input: Schema.Struct({ from_sequence: optional(PositiveInt), channel: optional(Schema.String) }),
  target: Schema.String,
  access: "writer",
  prepare: ({ actor: { customerId }, target: id, input: { from_sequence, channel } }) =>
    Verifications.use((verifications) =>
      verifications.next({
        customerId,
        id,
        fromSequence: from_sequence ?? undefined,
        channel: channel ?? undefined
      })
    ),
  run: (_, tried) => Effect.succeed(tried),
  audit: (_, { target, input: { channel } }) => ({
    id: target,
    ...(channel != null && { details: { channel } })
  })
})
