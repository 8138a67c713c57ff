import { Effect, Schema } from "effect"
import { action, NoInput } from "../Action.ts"
import { Messages } from "./Messages.ts"
import { Timers } from "../timer/Timers.ts"

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

/**
 * Sends by people are the API's: each is accepted by itself, and what a provider took cannot be taken back. So their
 * entries follow them, and change nothing else.
 */
const noChange = () => Effect.void

/** Never the phone or the text. */
const TestSend = Schema.Struct({
  mode: Schema.Literals(["live", "sandbox"]),
  channels: Schema.Array(Schema.String)
})

/** A test on the console, by the id of the code or message that it made. */
const noteTest = (subject: "verification" | "message") =>
  action("test.send", {
    input: TestSend,
    target: Schema.String,
    access: "writer",
    subject,
    run: noChange,
    audit: (_, { target, input }) => ({ id: target, details: input })
  })

export const noteTestCode = noteTest("verification")
export const noteTestMessage = noteTest("message")

/** The messages of a file that an operator has sent. */
export const noteBatch = action("message.batch", {
  input: Schema.Struct({ created: Schema.Int, refused: Schema.Int }),
  target: Schema.Int,
  access: "operator",
  subject: "customer",
  run: noChange,
  audit: (_, { target, input }) => ({ id: target, details: input })
})
