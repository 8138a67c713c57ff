import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  MAX_SET_UP_CHANGES,
  SetUpChanged,
  withCurrentSetUp
} from "../../../src/services/customer/Idempotency.ts"

/** A set-up that changes so often while a request is prepared. */
const changing = (times: number) => {
  let tries = 0
  const request = Effect.suspend(() => {
    tries += 1
    return tries <= times ? Effect.fail(new SetUpChanged()) : Effect.succeed("sent")
  })
  return { request, tries: () => tries }
}

describe("a request while its customer's set-up changes", () => {
  it.effect("without a key is prepared again", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* withCurrentSetUp(undefined, changing(MAX_SET_UP_CHANGES).request), "sent")
    })
  )

  it.effect("without a key is refused for now, if the changes do not end", () =>
    Effect.gen(function* () {
      const { request, tries } = changing(Number.POSITIVE_INFINITY)
      const refused = yield* Effect.flip(withCurrentSetUp(undefined, request))
      assert.strictEqual(refused._tag, "service_unavailable")
      assert.strictEqual(tries(), MAX_SET_UP_CHANGES + 1)
    })
  )

  it.effect("with a key is returned at once: its caller reads the key again", () =>
    Effect.gen(function* () {
      const { request, tries } = changing(1)
      assert.strictEqual((yield* Effect.flip(withCurrentSetUp(3, request)))._tag, "SetUpChanged")
      assert.strictEqual(tries(), 1)
    })
  )
})
