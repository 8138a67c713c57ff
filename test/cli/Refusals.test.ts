import { assert, describe, it } from "@effect/vitest"
import { describeBatchRefusal } from "../../src/cli/commands/MessageCommands.ts"
import { refusedOf } from "../../src/cli/output/CommandError.ts"
import {
  IdempotencyKeyConflict,
  IdempotencyKeyInProgress,
  MessageEnded,
  NoNextChannel,
  NotFound,
  ServiceUnavailable,
  VerificationEnded
} from "../../src/domain/Errors.ts"

describe("a refusal of a batch says", () => {
  it.each([
    [new IdempotencyKeyConflict(), /used with another batch/],
    [new IdempotencyKeyInProgress(), /still being created/],
    [new ServiceUnavailable(), /set-up is changing/]
  ] as const)("of %s what is wrong", (error, words) => {
    assert.match(describeBatchRefusal(error).message, words)
  })
})

describe("a refusal of an action on a message or a code says", () => {
  it.each([
    [new NotFound(), /customer 7 has no message m1/],
    [new MessageEnded({ details: { status: "sent" } }), /has ended/],
    [new VerificationEnded({ details: { status: "expired" } }), /has ended/],
    [new NoNextChannel(), /no channel is left/]
  ] as const)("of %s what is wrong", (error, words) => {
    assert.match(refusedOf(7, "message m1")(error).message, words)
  })
})
