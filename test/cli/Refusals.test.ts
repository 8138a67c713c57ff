import { assert, describe, it } from "@effect/vitest"
import { describeBatchRefusal, describeCancelRefusal } from "../../src/cli/activity/MessageCommands.ts"
import {
  IdempotencyKeyConflict,
  IdempotencyKeyInProgress,
  MessageEnded,
  NotFound
} from "../../src/domain/Errors.ts"
import { SetUpChanged } from "../../src/services/customer/SetUpChanged.ts"

describe("a refusal of a batch says", () => {
  it.each([
    [new IdempotencyKeyConflict(), /used with another batch/],
    [new IdempotencyKeyInProgress(), /still being created/],
    [new SetUpChanged(), /set-up is changing/]
  ] as const)("of %s what is wrong", (error, words) => {
    assert.match(describeBatchRefusal(error).message, words)
  })
})

describe("a refusal to cancel a message says", () => {
  it.each([
    [new NotFound(), /customer 7 has no message m1/],
    [new MessageEnded({ details: { status: "sent" } }), /has ended/],
    [new SetUpChanged(), /set-up is changing/]
  ] as const)("of %s what is wrong", (error, words) => {
    assert.match(describeCancelRefusal(7, "m1")(error).message, words)
  })
})
