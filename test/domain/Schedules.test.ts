import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Latch, Random } from "effect"
import { TestClock } from "effect/testing"
import { nextReportAt } from "../../src/domain/ProviderOutcome.ts"
import type { Instant } from "../../src/domain/Instant.ts"
import { candidatesOf } from "../../src/domain/message/MessageLanes.ts"
import { beginAttempt, recordOutcome } from "../../src/domain/message/MessageMachine.ts"
import { afterErrors, leaseRenewalMillis, untilNextDue } from "../../src/domain/Schedules.ts"
import { nextTryAt } from "../../src/domain/Webhook.ts"
import { created, outcomes, START } from "./message/MessageExamples.ts"

const DAY = 86_400_000
const LEASE = 30_000

/** After how long work runs that notes each of its runs, within a time. */
const runsWithin = (
  millis: number,
  repeated: (note: Effect.Effect<void>) => Effect.Effect<unknown, unknown>
) =>
  Effect.gen(function* () {
    const ranAt: Array<number> = []
    const start = yield* Clock.currentTimeMillis
    const note = Effect.map(Clock.currentTimeMillis, (now) => void ranAt.push(now - start))
    const fiber = yield* Effect.forkChild(repeated(note))
    yield* TestClock.adjust(millis)
    yield* Fiber.interrupt(fiber)
    return ranAt
  })

/** Runs work each time that it is due, until it is not due any more. */
const whenDue = (next: (startedAt: Instant, now: Instant) => Instant | null) => (note: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    for (let at: Instant | null = startedAt; at !== null;) {
      const now = yield* Clock.currentTimeMillis
      if (at > now) yield* Effect.sleep(at - now)
      yield* note
      at = next(startedAt, yield* Clock.currentTimeMillis)
    }
  })

describe("the timers' loop", () => {
  const sleepUntil = (instant: Instant) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(instant - now))

  /** A loop that finds, in each pass, the next row to be due then. */
  const looking = (next: (now: Instant) => Instant | null) => (note: Effect.Effect<void>) =>
    note.pipe(
      Effect.andThen(Effect.map(Clock.currentTimeMillis, next)),
      Effect.repeat(untilNextDue(LEASE, sleepUntil))
    )

  it.effect("runs again when the next row is due", () =>
    Effect.gen(function* () {
      const ranAt = yield* runsWithin(
        10_000,
        looking((now) => now + 4000)
      )
      assert.deepStrictEqual(ranAt, [0, 4000, 8000])
    })
  )

  it.effect("runs again after half a lease when the next row is later, or there is none", () =>
    Effect.gen(function* () {
      const far = looking((now) => now + DAY)
      const none = looking(() => null)
      assert.deepStrictEqual(yield* runsWithin(LEASE, far), [0, 15_000, 30_000])
      assert.deepStrictEqual(yield* runsWithin(LEASE, none), [0, 15_000, 30_000])
    })
  )

  it.effect("runs again at once while rows are due", () =>
    Effect.gen(function* () {
      let left = 3
      const ranAt = yield* runsWithin(
        1000,
        looking((now) => ((left -= 1) > 0 ? now : null))
      )
      assert.deepStrictEqual(ranAt, [0, 0, 0])
    })
  )

  it.effect("runs again when it is woken early", () =>
    Effect.gen(function* () {
      const wakeUp = Latch.makeUnsafe(false)
      const nap = Effect.tap(wakeUp.await, () => Effect.sync(() => wakeUp.closeUnsafe()))
      const woken = (note: Effect.Effect<void>) =>
        note.pipe(Effect.as<Instant | null>(null), Effect.repeat(untilNextDue(LEASE, () => nap)))
      const waker = yield* Effect.forkChild(
        Effect.delay(
          Effect.sync(() => wakeUp.openUnsafe()),
          700
        )
      )
      assert.deepStrictEqual(yield* runsWithin(LEASE, woken), [0, 700])
      yield* Fiber.join(waker)
    })
  )

  it.effect("comes back soon after an error, and about once a second while errors last", () =>
    Effect.gen(function* () {
      const failing = (note: Effect.Effect<void>) =>
        Effect.retry(Effect.andThen(note, Effect.fail("no store")), afterErrors)
      const ranAt = yield* Random.withSeed(runsWithin(60_000, failing), "errors")
      const pauses = ranAt.slice(1).map((at, nth) => at - (ranAt[nth] ?? 0))
      const planned = [100, 200, 400, 800]
      for (const [nth, pause] of pauses.entries()) {
        const about = planned[nth] ?? 1000
        assert.isTrue(pause >= 0.79 * about && pause <= 1.21 * about, `${nth}: ${pause}`)
      }
      assert.isAbove(pauses.length, 45)
      assert.isAbove(new Set(pauses.slice(4)).size, 10, "pauses of one process differ")
    })
  )

  it.effect("renews leases three times in the life of each", () =>
    Effect.gen(function* () {
      const renewing = (note: Effect.Effect<void>) =>
        Effect.forever(Effect.delay(note, leaseRenewalMillis(LEASE)))
      assert.deepStrictEqual(yield* runsWithin(LEASE, renewing), [10_000, 20_000, 30_000])
    })
  )
})

describe("the delays of due rows", () => {
  it.effect("a message whose provider is unavailable is tried again after 2 s, then after 8 s", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(START)
      const lane = 0
      let message = created({ strategy: "failover", steps: 1, scheduledInMillis: null })
      const tryAgainAt = (_startedAt: Instant, now: Instant) => {
        const turn = { lane, dueAt: now, now, patienceMillis: DAY }
        const [step = 0] = candidatesOf(message, lane)
        message = beginAttempt(message, step, turn).next
        const tries = message.attempts[0]?.tries ?? 0
        message = recordOutcome(message, { step, tries }, outcomes.Unavailable, now).next
        const [attempt] = message.attempts
        return attempt?.status === "pending" ? attempt.due_at : null
      }
      assert.deepStrictEqual(yield* runsWithin(DAY, whenDue(tryAgainAt)), [0, 2000, 10_000])
      assert.strictEqual(message.status, "failed")
    })
  )

  it.effect("a webhook is tried ten times in 24 hours", () =>
    Effect.gen(function* () {
      const failing = (firstAt: Instant, now: Instant) =>
        nextTryAt({ firstAt, at: now, finishedAt: now, retryAfterMillis: null }, 0)
      const ranAt = yield* runsWithin(2 * DAY, whenDue(failing))
      assert.deepStrictEqual(
        ranAt.map((at) => at / 1000),
        [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
      )
    })
  )

  it.effect("a provider is asked about a delivery seven times in 24 hours", () =>
    Effect.gen(function* () {
      const [, ...askedAt] = yield* runsWithin(2 * DAY, whenDue(nextReportAt))
      assert.deepStrictEqual(
        askedAt.map((at) => at / 1000),
        [10, 60, 300, 1800, 7200, 43_200, 86_400]
      )
    })
  )
})
