import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeRequestWindows } from "../../../src/services/key/RequestWindows.ts"

const KEYS = 20_000

describe("the windows of keys", () => {
  it.effect("are so many at most: the key that was not used for longest asks the store again", () =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const take = (key: number) =>
        Effect.sync(() => {
          asked.push(key)
          return { granted: 5, used: 5, endsAt: 60_000 }
        })
      const admit = yield* makeRequestWindows(take, (key: number) => key)
      const ask = (key: number) => admit(key, 10)
      yield* ask(0)
      yield* ask(0)
      assert.deepStrictEqual(asked, [0])
      for (let key = 1; key <= KEYS; key++) yield* ask(key)
      yield* ask(0)
      assert.deepStrictEqual([asked.length, asked.at(-1)], [KEYS + 2, 0])
    })
  )
})
