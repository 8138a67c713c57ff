import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { InvalidChannel, VerificationEnded } from "../../../src/domain/Errors.ts"
import { SkipReason } from "../../../src/domain/account/Pace.ts"
import type { Channel } from "../../../src/domain/routing/Channel.ts"
import type { Route, RouteStep } from "../../../src/domain/routing/Route.ts"
import { tryNext } from "../../../src/domain/verification/NextChannel.ts"
import { chooseStep, recordAttempt, skipRemaining } from "../../../src/domain/verification/Step.ts"
import {
  channelsToAskFor,
  viewVerification,
  type Verification,
  mayStillSend
} from "../../../src/domain/verification/Verification.ts"
import { validitySeconds } from "../../../src/domain/verification/CodeRules.ts"
import { decide, expire } from "../../../src/domain/verification/VerificationMachine.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"
import { created, isOver, outcomes, routeOf, START } from "./VerificationRuns.ts"

const NOW = START + 10_000

const withSteps = (count: number, change: (step: RouteStep, index: number) => Partial<RouteStep>): Route => {
  const [first, ...others] = routeOf(Array.from({ length: count }, () => 60))
  return [
    { ...first, ...change(first, 0) },
    ...others.map((step, index) => ({ ...step, ...change(step, index + 1) }))
  ]
}

/** Bale and Eitaa in their turn; SMS, which costs more, only if it is asked for. */
const route = withSteps(3, (_, index) =>
  index === 2 ? { onRequest: true, price: 5_000 } : { price: 1_000 * (index + 1) }
)

const called = (
  verification: Verification,
  step: number,
  at: number,
  outcome: keyof typeof outcomes = "Accepted"
): Verification =>
  recordAttempt(verification, { step, outcome: outcomes[outcome], attemptedAt: at, finishedAt: at }).next

const asked = (verification: Verification, channel: Channel | "fax", now = NOW, fromSequence?: number) =>
  tryNext(verification, { channel, now, fromSequence })
const after = (verification: Verification, channel: Channel, now = NOW, fromSequence?: number) =>
  Result.getOrThrow(asked(verification, channel, now, fromSequence)).next
const notAllowed = (channel: string) => Result.fail(new InvalidChannel({ details: { channel } }))

const queued = called(created(route), 0, START)

describe("a step on request", () => {
  it("is no part of what a send holds, waits for, or tries", () => {
    const verification = created(route)
    assert.deepStrictEqual([verification.remaining, verification.held], [[0, 1], 2_000])
    assert.strictEqual(validitySeconds(route), validitySeconds([route[0], route[1] ?? route[0]]))
    const last = called(queued, 1, START + 60_000)
    assert.deepStrictEqual([last.remaining, last.nextStepAt], [[], null])
    assert.strictEqual(decide(last, last.expiresAt, false)._tag, "Expire")
  })

  it("does not keep a send from failing", () => {
    const failed = called(called(created(route), 0, START, "Rejected"), 1, START, "Rejected")
    assert.deepStrictEqual([failed.status, failed.held, mayStillSend(failed)], ["failed", 0, false])
    assert.deepStrictEqual(
      asked(failed, "sms"),
      Result.fail(new VerificationEnded({ details: { status: "failed" } }))
    )
  })

  it("is no part of what is skipped when no account can send", () => {
    const { next } = skipRemaining(created(route), START, { 0: "rate", 1: "gap" })
    assert.deepStrictEqual(
      next.attempts.map(({ step }) => step),
      [0, 1]
    )
  })

  it("keeps the code for as long as it can be asked for", () => {
    const last = called(queued, 1, START + 60_000)
    assert.isTrue(mayStillSend(last))
    assert.isFalse(mayStillSend(called(after(last, "sms", START + 70_000), 2, START + 70_000)))
    assert.isFalse(mayStillSend(expire(last).next))
  })

  it("goes first once it is asked for, and its price is held with that", () => {
    const { next, dueAt, events } = Result.getOrThrow(asked(queued, "sms"))
    assert.deepStrictEqual([dueAt, events], ["held", []])
    assert.deepStrictEqual(
      [next.remaining, next.nextStepAt, next.captured, next.held],
      [[2, 1], NOW, 1_000, 4_000]
    )
    const sent = called(next, 2, NOW)
    assert.deepStrictEqual(
      [sent.captured, sent.held, sent.remaining, sent.nextStepAt],
      [5_000, 0, [1], NOW + 60_000]
    )
  })

  it("is asked for at most once, also where it failed", () => {
    const tried = called(after(queued, "sms"), 2, NOW, "Rejected")
    assert.deepStrictEqual([tried.remaining, tried.held, tried.nextStepAt], [[1], 1_000, NOW])
    assert.deepStrictEqual(asked(called(tried, 1, NOW), "sms", NOW + 1), notAllowed("sms"))
  })
})

describe("asking for a channel", () => {
  const three = called(created(routeOf([60, 60, 60])), 0, START)

  it("puts the one that is asked for first, and leaves the others behind it", () => {
    const next = after(three, "sms")
    assert.deepStrictEqual([next.remaining, next.nextStepAt], [[2, 1], NOW])
    assert.deepStrictEqual(called(next, 2, NOW).remaining, [1])
  })

  it("is the same as the next channel where it is the next one", () => {
    assert.deepStrictEqual(after(three, "eitaa"), Result.getOrThrow(tryNext(three, { now: NOW })).next)
    assert.strictEqual(after(three, "eitaa").remaining, three.remaining)
  })

  it.each(["fax", "rubika", "bale"] as const)(
    "is refused for %s: unknown, not in the route, tried",
    (name) => {
      assert.deepStrictEqual(asked(three, name), notAllowed(name))
    }
  )

  it("changes nothing where a later attempt exists, or one is being made", () => {
    const second = called(after(three, "sms"), 2, NOW)
    assert.strictEqual(after(second, "eitaa", NOW + 1, 1), second)
    assert.strictEqual(after(second, "sms", NOW + 1, 1), second)
    const inProgress = after(three, "sms")
    for (const channel of ["sms", "eitaa"] as const) {
      assert.strictEqual(after(inProgress, channel, NOW + 1), inProgress)
    }
  })

  it("moves the accounts that stand by for a channel with it", () => {
    const standby = withSteps(4, (_, index) =>
      index >= 2 ? { channel: "sms", ...(index === 3 && { standby: true }) } : {}
    )
    const next = after(called(created(standby), 0, START), "sms")
    assert.deepStrictEqual(next.remaining, [2, 3, 1])
    assert.deepStrictEqual(called(next, 2, NOW).remaining, [1])
    assert.deepStrictEqual(called(next, 2, NOW, "Unavailable").remaining, [3, 1])
  })

  it("does not revive a step that would have come after the end", () => {
    const long = called(created(withSteps(2, () => ({ wait: 600, price: 9_000 }))), 0, START)
    assert.strictEqual(long.nextStepAt, null)
    assert.deepStrictEqual(asked(long, "eitaa"), notAllowed("eitaa"))
  })
})

describe("a step that was skipped for its hours", () => {
  const skipped = (verification: Verification, reason: SkipReason) =>
    called(chooseStep(verification, { step: 1, skipped: [0], reasons: { 0: reason } }).next, 1, START)

  it.each(SkipReason.literals)("can be asked for afterwards only if that was the reason: %s", (reason) => {
    const verification = skipped(created(routeOf([60, 60, 60])), reason)
    assert.deepStrictEqual(
      viewVerification(verification, NOW).attempts.map(({ sequence }) => sequence),
      [2]
    )
    if (reason !== "hours") {
      assert.deepStrictEqual(asked(verification, "bale"), notAllowed("bale"))
      return
    }
    const tried = called(after(verification, "bale"), 0, NOW)
    assert.deepStrictEqual(
      tried.attempts.map(({ step }) => step),
      [1, 0]
    )
    assert.deepStrictEqual(asked(tried, "bale", NOW + 1), notAllowed("bale"))
  })

  it("can be asked for where it was the last one", () => {
    const first = called(created(routeOf([60, 60])), 0, START)
    const { next } = skipRemaining(first, START + 60_000, { 1: "hours" })
    assert.deepStrictEqual([next.status, next.remaining, mayStillSend(next)], ["queued", [], true])
    assert.deepStrictEqual(after(next, "eitaa", START + 70_000).remaining, [1])
    assert.lengthOf(viewVerification(next, NOW).attempts, 1)
  })

  it("is no part of the history of a send that failed after a call", () => {
    const first = called(skipped(created(routeOf([60, 60])), "hours"), 1, START, "Rejected")
    const failed = recordAttempt(
      chooseStep(created(routeOf([60, 60])), { step: 1, skipped: [0], reasons: { 0: "hours" } }).next,
      { step: 1, outcome: outcomes.Rejected, attemptedAt: START, finishedAt: START }
    ).next
    assert.strictEqual(first.status, "queued")
    assert.deepStrictEqual([failed.status, failed.attempts.map(({ step }) => step)], ["failed", [1]])
  })
})

/** Short ones, so that a channel is often asked for twice. */
const Steps = Arbitrary.array(
  Arbitrary.schema(Schema.Struct({ onRequest: Schema.Boolean, price: Schema.Literals([0, 1_000, 5_000]) })),
  { minLength: 1, maxLength: 4 }
)

const Deed = Schema.Struct({
  kind: Schema.Literals([
    "timer",
    "timer",
    "ask",
    "ask and call",
    "ask and call",
    "ask and call",
    "next",
    "skip",
    "verified"
  ]),
  /** Of the route; one more than it has: another channel. */
  place: Schema.Literals([0, 1, 2, 3, 4, 5]),
  reason: SkipReason,
  outcome: Schema.Literals(["Accepted", "Accepted", "Rejected", "Unavailable", "Unknown"]),
  /** 0: none. */
  sequence: Schema.Literals([0, 0, 0, 1, 2, 3]),
  millis: Schema.Literals([0, 1, 30_000, 60_000])
})
const deeds = Arbitrary.array(Arbitrary.schema(Deed), { minLength: 8, maxLength: 16 })

/** The first step is always tried by itself, and steps on request are last. */
const drawnRoute = (steps: ReadonlyArray<{ readonly onRequest: boolean; readonly price: number }>): Route => {
  const planned = Math.max(1, steps.filter(({ onRequest }) => !onRequest).length)
  return withSteps(steps.length, (_, index) => ({
    price: steps[index]?.price ?? 0,
    ...(index >= planned && { onRequest: true })
  }))
}

/** What follows from deeds, and which steps were called and asked for in their course. */
const makeCourse = (drawn: Route) => {
  let verification = created(drawn)
  const calls: Array<number> = []
  const requested = new Set<Channel>()
  let paid = verification.held

  const runTimer = (now: number, outcome: keyof typeof outcomes) => {
    const action = decide(verification, now, false)
    if (action._tag === "Expire") verification = expire(verification).next
    if (action._tag !== "TryStep") return
    const [step] = action.steps
    calls.push(step)
    assert.isTrue(drawn[step]?.onRequest !== true || requested.has(drawn[step].channel))
    verification = called(verification, step, now, outcome)
  }

  const ask = (now: number, fromSequence: number | undefined, channel: Channel | undefined) => {
    const before = verification
    const result = tryNext(before, { now, fromSequence, channel })
    if (isOver(before) || now >= before.expiresAt) {
      assert.strictEqual(Result.isFailure(result) && result.failure._tag, "verification_ended")
    }
    if (Result.isFailure(result) || result.success.next === before) return
    verification = result.success.next
    assert.isTrue(channel === undefined || channelsToAskFor(before).includes(channel))
    assert.isTrue(mayStillSend(before))
    assert.isAtLeast(verification.held, before.held)
    paid += verification.held - before.held
    if (channel !== undefined) requested.add(channel)
  }

  const skip = (now: number, reason: SkipReason) => {
    if (decide(verification, now, false)._tag !== "TryStep") return
    const reasons = Object.fromEntries(verification.remaining.map((step) => [step, reason]))
    verification = skipRemaining(verification, now, reasons).next
  }

  const verify = () => {
    if (!isOver(verification)) verification = { ...verification, status: "verified", held: 0 }
  }

  const check = (before: Verification) => {
    if (isOver(before)) assert.strictEqual(verification.status, before.status)
    assert.lengthOf(new Set(calls), calls.length)
    assert.isAtMost(verification.captured + verification.held, paid)
    if (!isOver(verification) && channelsToAskFor(verification).length > 0) {
      assert.isTrue(mayStillSend(verification))
    }
    if (verification.nextStepAt === null || isOver(verification)) assert.strictEqual(verification.held, 0)
  }

  return { current: () => verification, runTimer, ask, skip, verify, check }
}

describe("any course of timers, skips and requests", () => {
  it.prop(
    "tries no step twice, none on request by itself, and nothing after the end; the code and the money are kept for what can come",
    [Steps, deeds],
    ([steps, list]) => {
      const drawn = drawnRoute(steps)
      const course = makeCourse(drawn)
      let now = START
      for (const { kind, place, reason, outcome, sequence, millis } of list) {
        const before = course.current()
        now += millis
        const fromSequence = sequence === 0 ? undefined : sequence
        const channel = drawn[place % (drawn.length + 1)]?.channel ?? "telegram"
        if (kind === "timer") {
          now = Math.max(now, Math.min(before.nextStepAt ?? before.expiresAt, before.expiresAt))
          course.runTimer(now, outcome)
        }
        if (kind === "next") course.ask(now, fromSequence, undefined)
        if (kind === "ask" || kind === "ask and call") course.ask(now, fromSequence, channel)
        if (kind === "ask and call") course.runTimer(now, outcome)
        if (kind === "skip") course.skip(now, reason)
        if (kind === "verified") course.verify()
        course.check(before)
      }
    },
    { arbitrary: { runs: propertyRuns(2_000) } }
  )
})
