import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { isGivenUp, judge, nextTryAt, replayedFrom } from "../../../src/domain/Webhook.ts"
import { WEBHOOK_TRY_MILLIS } from "../../../src/domain/Webhook.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR

const Random = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.999 }))
const Millis = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
const RetryAfter = Schema.NullOr(Millis(3 * DAY))

const prompt = (firstAt: number, at: number, retryAfterMillis: number | null = null) => ({
  firstAt,
  at,
  finishedAt: at,
  retryAfterMillis
})

/** All tries of a delivery that always fails, each made when it is due. */
const triesOf = (firstAt: number, random: () => number): ReadonlyArray<number> => {
  const tries = [firstAt]
  for (;;) {
    const next = nextTryAt(prompt(firstAt, tries.at(-1) ?? firstAt), random())
    if (next === null) return tries
    tries.push(next)
  }
}

describe("the schedule of a webhook that fails", () => {
  it("has ten tries in 24 hours", () => {
    assert.deepStrictEqual(
      triesOf(1000, () => 0).map((at) => (at - 1000) / 1000),
      [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    )
  })

  it.effect.prop(
    "is jittered by at most a tenth, and never early",
    [Millis(DAY), Schema.Array(Random)],
    ([firstAt, randoms]) =>
      Effect.sync(() => {
        let nth = 0
        const tries = triesOf(firstAt, () => randoms[nth++ % Math.max(1, randoms.length)] ?? 0)
        assert.strictEqual(tries.length, WEBHOOK_TRY_MILLIS.length)
        for (const [index, offset] of WEBHOOK_TRY_MILLIS.entries()) {
          const delay = (tries[index] ?? Number.NaN) - firstAt
          assert.isTrue(delay >= offset && delay <= offset * 1.1, `${index}: ${delay}`)
        }
      })
  )

  it.effect.prop(
    "waits for the later of its own time and what the receiver asked for, but never longer than a day for that",
    [Millis(30 * HOUR), Millis(15_000), RetryAfter, Random],
    ([late, duration, retryAfterMillis, random]) =>
      Effect.sync(() => {
        const finishedAt = late + duration
        const plain = nextTryAt({ firstAt: 0, at: late, finishedAt, retryAfterMillis: null }, random)
        const asked = nextTryAt({ firstAt: 0, at: late, finishedAt, retryAfterMillis }, random)
        if (plain === null) return assert.isNull(asked)
        const wanted = finishedAt + Math.min(retryAfterMillis ?? 0, DAY)
        return assert.strictEqual(asked, Math.max(plain, wanted))
      })
  )

  it.effect.prop(
    "always goes on after the try before it, and ends",
    [Schema.NonEmptyArray(Schema.Tuple([Millis(20_000), RetryAfter, Random]))],
    ([steps]) =>
      Effect.sync(() => {
        let at = 0
        for (let nth = 0; ; nth++) {
          assert.isBelow(nth, WEBHOOK_TRY_MILLIS.length)
          const [duration, retryAfterMillis, random] = steps[nth % steps.length] ?? steps[0]
          const finishedAt = at + duration
          const next = nextTryAt({ firstAt: 0, at, finishedAt, retryAfterMillis }, random)
          if (next === null) return
          assert.isAtLeast(next, finishedAt)
          at = next
        }
      })
  )

  it("leaves out what passed while nobody could try, instead of trying in a row", () => {
    assert.strictEqual(nextTryAt(prompt(0, 3 * HOUR), 0), 5 * HOUR)
    assert.isNull(nextTryAt(prompt(0, 30 * HOUR), 0))
  })

  it("gives an endpoint up after five days, to the millisecond", () => {
    assert.isFalse(isGivenUp(7, 7 + 5 * DAY - 1))
    assert.isTrue(isGivenUp(7, 7 + 5 * DAY))
  })
})

const fresh = { tries: [], startedAt: null, failingSince: null }
const during = { at: 1000, finishedAt: 1200 }
const answered = (status: number) => ({ status, error: null, retryAfterMillis: null })

describe("the outcome of a try", () => {
  it("is a delivery for each 2xx, after which the endpoint fails no more", () => {
    for (const status of [200, 201, 202, 204, 299]) {
      const {
        status: became,
        failingSince,
        nextTryAt: next
      } = judge({ ...fresh, failingSince: 5 }, answered(status), during, 0)
      assert.deepStrictEqual([became, failingSince, next], ["delivered", null, null])
    }
  })

  it("is another try for anything else, a redirect too", () => {
    for (const status of [100, 301, 302, 304, 400, 404, 429, 500, 503]) {
      const judged = judge(fresh, answered(status), during, 0)
      assert.deepStrictEqual(judged, {
        status: "pending",
        nextTryAt: 6000,
        startedAt: 1000,
        tries: [{ at: 1000, status, error: null, duration_ms: 200 }],
        failingSince: 1000,
        disables: null
      })
    }
  })

  it("is the end of the endpoint when it is gone, and when it has failed for five days", () => {
    const gone = judge(fresh, answered(410), during, 0)
    assert.deepStrictEqual([gone.status, gone.disables, gone.nextTryAt], ["failed", "gone", null])
    const tries = [0, 500].map((at) => ({ at, status: 500, error: null, duration_ms: 1 }))
    const failing = judge({ ...fresh, tries, failingSince: 1200 - 5 * DAY }, answered(500), during, 0)
    assert.deepStrictEqual([failing.status, failing.disables], ["failed", "failing"])
  })

  it("does not end an endpoint that took nothing for days before this event had its chance", () => {
    const first = judge({ ...fresh, failingSince: 1200 - 30 * DAY }, answered(500), during, 0)
    assert.deepStrictEqual([first.status, first.disables], ["pending", null])
  })

  it("is kept with the fifty before it, and no more", () => {
    const tries = Array.from({ length: 50 }, (_, at) => ({ at, status: 500, error: null, duration_ms: 1 }))
    const judged = judge({ ...fresh, tries, startedAt: 0 }, answered(500), during, 0)
    assert.deepStrictEqual([judged.tries.length, judged.tries[0]?.at, judged.tries.at(-1)?.at], [50, 1, 1000])
  })
})

describe("a replay of all events since a time", () => {
  it("goes back to that time, and at most 30 days", () => {
    const now = 100 * DAY
    assert.strictEqual(replayedFrom(now - 2 * DAY, now), now - 2 * DAY)
    assert.strictEqual(replayedFrom(now - 31 * DAY, now), now - 30 * DAY)
    assert.strictEqual(replayedFrom(Number.NEGATIVE_INFINITY, now), now - 30 * DAY)
  })
})
