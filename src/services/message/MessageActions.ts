import { Effect, Schema } from "effect"
import { action, NoInput } from "../Action.ts"
import { Timers } from "../timer/Timers.ts"
import { Messages } from "./Messages.ts"

/** Refused once it was sent; the entry is written in the same transaction. */
export const cancelMessage = action("message.cancel", {
  input: NoInput,
  target: Schema.String,
  access: "writer",
  run: ({ actor: { customerId }, target: id }) =>
    Messages.use((messages) => messages.cancel({ customerId, id })),
  audit: (_, { target }) => ({ id: target }),
  // Its events are due, once they are committed.
  after: Timers.use((timers) => Effect.sync(() => timers.wakeAt(0)))
})
