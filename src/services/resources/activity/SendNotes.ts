import { Effect, Schema } from "effect"
import { action } from "../../Action.ts"

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
