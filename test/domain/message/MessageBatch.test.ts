import { assert, describe, it } from "@effect/vitest"
import { refusedOutcome } from "../../../src/domain/message/MessageBatch.ts"

describe("a refused message of a batch", () => {
  it("keeps its code, its details, and when to come again", () => {
    assert.deepStrictEqual(
      refusedOutcome({ _tag: "quota_exceeded", retryAfterSeconds: 9, details: { a: 1 } }),
      {
        code: "quota_exceeded",
        details: { a: 1, retry_after_seconds: 9 }
      }
    )
  })
})
