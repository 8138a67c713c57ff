import { assert, layer } from "@effect/vitest"
import { Clock, DateTime, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { parseDateTime } from "../../../src/domain/message/Schedule.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { scriptSlots } from "../../support/ScriptedSlots.ts"
import { arriveAt, sendMessage, settle, summary } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const instant = (text: string): number => Option.getOrThrow(parseDateTime(text))
const iso = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

/** In Tehran the day is nearly over. */
const EVENING = instant("2026-11-21T22:30:00+03:30")

layer(TestDatabase, { excludeTestServices: true })("a scheduled message", (it) => {
  it.effect("with a delay is sent at exactly that time, and not before", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { answer, status } = yield* sendMessage(yield* makeCustomer(), ["bale"], { delay: "90m" })
      assert.strictEqual(answer.scheduledFor, start + 5_400_000)
      const waiting = yield* status
      assert.deepStrictEqual([waiting.status, waiting.attempts.length], ["queued", 0])
      assert.strictEqual(yield* arriveAt(start, 5399), 0)
      assert.strictEqual(yield* arriveAt(start, 5400), 1)
      const { status: now, attempts } = yield* status
      assert.strictEqual(now, "sent")
      assert.deepStrictEqual(
        [attempts[0]?.dueAt, attempts[0]?.attemptedAt],
        [start + 5_400_000, start + 5_400_000]
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  const forms: ReadonlyArray<readonly [string, string, string]> = [
    [
      "without an offset is read in Tehran, where the next day has begun",
      "2026-11-22T00:30:00",
      "2026-11-21T21:00:00.000Z"
    ],
    ["with an offset is sent at that instant", "2026-11-22T00:30:00+05:00", "2026-11-21T19:30:00.000Z"],
    ["with Z is sent at that instant", "2026-11-22T00:30:00Z", "2026-11-22T00:30:00.000Z"]
  ]
  for (const [name, text, utc] of forms) {
    it.effect(`whose send_at ${name}`, () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const { answer } = yield* sendMessage(yield* makeCustomer(), ["bale"], { sendAt: instant(text) })
        assert.strictEqual(iso(answer.scheduledFor ?? 0), utc)
        yield* TestClock.adjust(instant(utc) - EVENING - 1)
        assert.strictEqual(yield* settle, 0)
        yield* TestClock.adjust(1)
        yield* settle
        assert.deepStrictEqual(
          providers.deliveries.map(({ at }) => iso(at)),
          [utc]
        )
      }).pipe(Effect.provide(testProcess(providers.layer, {}, EVENING)))
    })
  }

  it.effect("that became due while no process ran is sent when one does", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { status } = yield* sendMessage(yield* makeCustomer(), ["bale"], { delay: "1h" })
      yield* arriveAt(start, 86_400)
      const { status: now, attempts } = yield* status
      assert.strictEqual(now, "sent")
      assert.strictEqual(attempts[0]?.dueAt, start + 3_600_000)
      assert.strictEqual(attempts[0]?.attemptedAt, start + 86_400_000)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("that came due while nobody was there still waits for its account, from then on", () => {
    const providers = scriptProviders()
    const slots = scriptSlots({ bale: 86_400_000 + 600_000 })
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { status } = yield* sendMessage(yield* makeCustomer(), ["bale"], { delay: "1h" })
      yield* arriveAt(start, 86_400)
      assert.strictEqual((yield* status).status, "queued")
      yield* arriveAt(start, 87_000)
      assert.deepStrictEqual(summary((yield* status).attempts), [[1, "sent", null]])
    }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, slots.layer))))
  })

  it.effect("waits for its account until 15 minutes past the time it was planned for", () => {
    const slots = scriptSlots({ bale: 9e9 })
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { status } = yield* sendMessage(yield* makeCustomer(), ["bale"], { delay: "1h" })
      yield* arriveAt(start, 3600)
      yield* arriveAt(start, 4499)
      assert.strictEqual((yield* status).status, "queued")
      yield* arriveAt(start, 4500)
      assert.strictEqual((yield* status).status, "failed")
    }).pipe(Effect.provide(testProcess(slots.layer)))
  })
})
