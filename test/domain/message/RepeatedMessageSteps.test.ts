import { assert, describe, it } from "@effect/vitest"
import type { Message, MessageAttempt, Strategy } from "../../../src/domain/message/Message.ts"
import { candidatesOf } from "../../../src/domain/message/MessageLanes.ts"
import {
  awaitAccount,
  beginAttempt,
  decideMessage,
  recordOutcome
} from "../../../src/domain/message/MessageMachine.ts"
import type { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { created, outcomes, START } from "./MessageExamples.ts"
import { begins, type Entry, happenings, live, type Setting, setting, SIZE } from "./MessageRuns.ts"
import { deduplicating, repeats, someSteps } from "../verification/RepeatedRuns.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const runs = { arbitrary: { runs: propertyRuns(1_000), size: SIZE } }
const PATIENCE = 900_000

const messageOf = (strategy: Strategy, steps: number, repeatable: ReadonlyArray<number>): Message => {
  const message = created({ strategy, steps, scheduledInMillis: null })
  return { ...message, route: deduplicating(message.route, repeatable) }
}

const turn = (lane: number, now: number) => ({ lane, dueAt: START, now, patienceMillis: PATIENCE })
const laneOf = ({ strategy }: Message, step: number) => (strategy === "failover" ? 0 : step)

const begin = (message: Message, step: number, now: number): Message =>
  beginAttempt(message, step, turn(laneOf(message, step), now)).next

const triesOf = ({ attempts }: Message, step: number): number =>
  attempts.find((attempt) => attempt.step === step)?.tries ?? 0

const record = (message: Message, step: number, outcome: ProviderOutcome, now: number) =>
  recordOutcome(message, { step, tries: triesOf(message, step) }, outcome, now)

/** One call over the step, from `now` on, and its outcome 35 ms later. */
const call = (message: Message, step: number, outcome: ProviderOutcome, now: number): Message =>
  record(begin(message, step, now), step, outcome, now + 35).next

const attemptAt = (message: Message, step: number): MessageAttempt | undefined =>
  message.attempts.find((attempt) => attempt.step === step)

const summary = (message: Message, step: number) => {
  const attempt = attemptAt(message, step)
  return [attempt?.status, attempt?.error_code, attempt?.tries, attempt?.repeated]
}

describe("a message's call whose outcome is unknown, to a provider that de-duplicates", () => {
  const fresh = messageOf("failover", 2, [0])

  it("is due again at once over the same route, before all others, and ends nothing", () => {
    const { next, dueAt, events } = record(begin(fresh, 0, START), 0, outcomes.Unknown, START + 35)
    assert.deepStrictEqual(summary(next, 0), ["pending", "provider_outcome_unknown", 1, true])
    assert.strictEqual(attemptAt(next, 0)?.due_at, START + 35)
    assert.isNull(attemptAt(next, 0)?.finished_at)
    assert.deepStrictEqual([dueAt, events, next.status], [START + 35, [], "sending"])
    assert.deepStrictEqual(candidatesOf(next, 0), [0, 1])
    assert.deepStrictEqual(decideMessage(next, 0, START + 35), { _tag: "Send", candidates: [0, 1] })
  })

  it.each(repeats)("has the outcome of its repeat, when that is %s", (_, outcome, errorCode) => {
    const once = call(fresh, 0, outcomes.Unknown, START)
    const twice = call(once, 0, outcome, START + 35)
    const status = errorCode === null ? "sent" : "failed"
    assert.deepStrictEqual(summary(twice, 0), [status, errorCode, 2, true])
    assert.strictEqual(attemptAt(twice, 0)?.finished_at, START + 70)
    assert.deepStrictEqual(candidatesOf(twice, 0), [1])
    assert.strictEqual(twice.status, errorCode === null ? "sent" : "sending")
  })

  it("is repeated once after retries of an unavailable provider, beyond their number", () => {
    const first = call(fresh, 0, outcomes.Unavailable, START)
    const second = call(first, 0, outcomes.Unavailable, START + 2_035)
    const third = call(second, 0, outcomes.Unknown, START + 10_070)
    assert.deepStrictEqual(summary(third, 0), ["pending", "provider_outcome_unknown", 3, true])
    const fourth = call(third, 0, outcomes.Unknown, START + 10_105)
    assert.deepStrictEqual(summary(fourth, 0), ["failed", "provider_outcome_unknown", 4, true])
  })

  it("is not retried like an unavailable provider when its repeat finds it unavailable", () => {
    const twice = call(call(fresh, 0, outcomes.Unknown, START), 0, outcomes.Unavailable, START + 35)
    assert.deepStrictEqual(summary(twice, 0), ["failed", "provider_outcome_unknown", 2, true])
  })

  it("abandoned by a dead process is repeated once, under a try of its own", () => {
    const begun = begin(fresh, 0, START)
    assert.deepStrictEqual(decideMessage(begun, 0, START + 30_000), {
      _tag: "Abandon",
      call: { step: 0, tries: 1 }
    })
    const again = begin(record(begun, 0, outcomes.Unknown, START + 30_000).next, 0, START + 30_000)
    assert.strictEqual(triesOf(again, 0), 2)
    assert.strictEqual(
      recordOutcome(again, { step: 0, tries: 1 }, outcomes.Accepted, START + 30_001).next,
      again,
      "the first call's late answer is none for the second"
    )
    const given = record(again, 0, outcomes.Unknown, START + 60_000).next
    assert.deepStrictEqual(summary(given, 0), ["failed", "provider_outcome_unknown", 2, true])
  })

  it("gives way to a route whose account may send, and stays unknown", () => {
    const once = call(fresh, 0, outcomes.Unknown, START)
    const other = begin(once, 1, START + 35)
    assert.deepStrictEqual(summary(other, 0), ["failed", "provider_outcome_unknown", 1, true])
    assert.strictEqual(attemptAt(other, 0)?.finished_at, START + 35)
  })

  it("stays unknown when no account may send until patience runs out", () => {
    const once = call(messageOf("failover", 1, [0]), 0, outcomes.Unknown, START)
    const waiting = awaitAccount(once, START + 5_000, turn(0, START + 35))
    assert.strictEqual(waiting.dueAt, START + 5_000)
    const { next, events } = awaitAccount(once, START + 9e9, turn(0, START + PATIENCE))
    assert.deepStrictEqual(summary(next, 0), ["failed", "provider_outcome_unknown", 1, true])
    assert.deepStrictEqual([next.status, events], ["failed", ["message.failed"]])
  })

  it("is repeated in its own lane of a broadcast, which completes with the repeat only", () => {
    const broadcast = messageOf("broadcast", 2, [0])
    const once = call(broadcast, 0, outcomes.Unknown, START)
    const other = call(once, 1, outcomes.Accepted, START)
    assert.deepStrictEqual(decideMessage(other, 1, START + 35), { _tag: "Nothing" })
    assert.deepStrictEqual(decideMessage(other, 0, START + 35), { _tag: "Send", candidates: [0] })
    assert.isNull(other.completedAt)
    const twice = call(other, 0, outcomes.Accepted, START + 100)
    assert.deepStrictEqual([twice.status, twice.completedAt], ["sent", START + 135])
  })

  it("is not repeated over an account of which nothing of the kind is known", () => {
    const plain = call(messageOf("failover", 2, [1]), 0, outcomes.Unknown, START)
    assert.deepStrictEqual(summary(plain, 0), ["failed", "provider_outcome_unknown", 1, undefined])
  })
})

const liveMixed = (settings: Setting, steps: ReadonlyArray<number>, list: Parameters<typeof live>[1]) => {
  const message = created(settings)
  return live(settings, list, { ...message, route: deduplicating(message.route, steps) })
}

/** The reports on a step between two calls. */
const reportedOf = (entries: ReadonlyArray<Entry>, step: number) =>
  entries.flatMap(({ deed, before, after }) =>
    deed?._tag === "Record" && deed.call.step === step && after !== before ? [deed.outcome._tag] : []
  )

describe("a message with routes that may be repeated", () => {
  it.prop(
    "calls again only after the provider was unavailable, or once after an unknown outcome where that may be",
    [setting, someSteps, happenings],
    ([settings, steps, list]) => {
      const entries = liveMixed(settings, steps, list)
      for (const [step, calls] of Map.groupBy(begins(entries), (begun) => begun.step)) {
        const causes = calls
          .slice(1)
          .map(({ index }, nth) => reportedOf(entries.slice(calls[nth]?.index ?? 0, index), step))
        assert.isTrue(causes.every(({ length }) => length === 1))
        const flat = causes.flat()
        assert.isTrue(flat.every((cause) => cause === "Unavailable" || cause === "Unknown"))
        assert.isAtMost(flat.filter((cause) => cause === "Unavailable").length, 2)
        const repeat = flat.indexOf("Unknown")
        assert.isTrue(repeat === -1 || (steps.some((each) => each === step) && repeat === flat.length - 1))
      }
    },
    runs
  )

  it.prop(
    "marks an attempt as repeated exactly when an outcome over a route that may be repeated was unknown",
    [setting, someSteps, happenings],
    ([settings, steps, list]) => {
      const entries = liveMixed(settings, steps, list)
      for (const { step, repeated, status, error_code } of entries.at(-1)?.after.attempts ?? []) {
        const reported = reportedOf(entries, step)
        const mayRepeat = steps.some((each) => each === step)
        assert.strictEqual(repeated === true, mayRepeat && reported.includes("Unknown"))
        if (repeated === true && status === "failed") {
          const isKnown = reported.at(-1) === "Rejected"
          assert.strictEqual(error_code, isKnown ? "recipient_unreachable" : "provider_outcome_unknown")
        }
      }
    },
    runs
  )

  it.prop(
    "counts every call as a try, keeps one attempt for each step, and never takes back that one was sent",
    [setting, someSteps, happenings],
    ([settings, steps, list]) => {
      const entries = liveMixed(settings, steps, list)
      const last = entries.at(-1)?.after
      const calls = Map.groupBy(begins(entries), (begun) => begun.step)
      assert.strictEqual(new Set(last?.attempts.map(({ step }) => step)).size, last?.attempts.length)
      for (const { step, tries } of last?.attempts ?? []) {
        assert.strictEqual(tries, calls.get(step)?.length ?? 0)
      }
      for (const { before, after } of entries) {
        for (const sent of before.attempts.filter(({ status }) => status === "sent")) {
          assert.deepStrictEqual(attemptAt(after, sent.step), sent)
        }
      }
    },
    runs
  )
})
