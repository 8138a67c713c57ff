import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import {
  expiresInSeconds,
  isAnswered,
  sendResponse,
  type Verification,
  viewVerification
} from "../../../src/domain/verification/Verification.ts"
import { validitySeconds } from "../../../src/domain/verification/CodeRules.ts"
import { recordAttempt } from "../../../src/domain/verification/Step.ts"
import { created, happenings, isOver, live, outcomes, route, routeOf, START } from "./VerificationRuns.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const runs = { arbitrary: { runs: propertyRuns(1_000) } }

/** How long after a happening the verification is looked at, in milliseconds. */
const offset = Schema.Literals([0, 1, 999, 1_000, 44_001, 59_999, 300_000, 700_000])

/** A verification at some point of its life, and an instant from then on. */
const looked = Arbitrary.all([route, happenings, Arbitrary.schema(offset)]).pipe(
  Arbitrary.map(([route, list, later]): { readonly verification: Verification; readonly now: number } => {
    const entry = live(route, list).at(-1)
    return entry === undefined
      ? { verification: created(route), now: START + later }
      : { verification: entry.after, now: (entry.call?.finishedAt ?? entry.now) + later }
  })
)

const tried = (
  waits: ReadonlyArray<number>,
  ...results: ReadonlyArray<keyof typeof outcomes>
): Verification =>
  results.reduce(
    (verification, outcome, step) => {
      const at = verification.nextStepAt ?? START
      return recordAttempt(verification, {
        step,
        outcome: outcomes[outcome],
        attemptedAt: at,
        finishedAt: at
      }).next
    },
    created(routeOf(waits))
  )

describe("the validity of a code", () => {
  it.each([
    [[60], 300],
    [[120], 300],
    [[60, 60], 300],
    [[90, 90, 120], 300],
    [[90, 91, 45], 301],
    [[120, 120, 120], 360],
    [[120, 120, 120, 119, 45], 599],
    [[120, 120, 120, 120, 120], 600]
  ])("with waits of %j seconds is %i seconds", (waits, seconds) => {
    assert.strictEqual(validitySeconds(routeOf(waits)), seconds)
  })

  it("is never longer than ten minutes, whatever the waits", () => {
    assert.strictEqual(validitySeconds(routeOf([500, 500, 60])), 600)
  })

  it.prop(
    "leaves the last channel two minutes, within five to ten minutes in all",
    [route],
    ([route]) => {
      const waits = route.slice(0, -1).map(({ wait }) => wait)
      const needed = waits.reduce((sum, wait) => sum + wait, 120)
      assert.strictEqual(validitySeconds(route), needed < 300 ? 300 : needed > 600 ? 600 : needed)
    },
    { arbitrary: { runs: 200 } }
  )

  it.prop(
    "starts when the verification is created",
    [route],
    ([route]) => {
      const verification = created(route)
      assert.strictEqual(verification.expiresAt, START + validitySeconds(route) * 1_000)
      assert.strictEqual(expiresInSeconds(verification), validitySeconds(route))
    },
    { arbitrary: { runs: 50 } }
  )
})

describe("what the status endpoint returns", () => {
  it.prop(
    "is expired from the end of validity on, unless another end came before, and the stored status until then",
    [looked],
    ([{ verification, now }]) => {
      const isExpired = !isOver(verification) && now >= verification.expiresAt
      const { status } = viewVerification(verification, now)
      assert.strictEqual(status, isExpired ? "expired" : verification.status)
    },
    runs
  )

  it("is expired at the very millisecond of the end", () => {
    const verification = tried([60, 60], "Accepted")
    assert.strictEqual(viewVerification(verification, START + 299_999).status, "queued")
    assert.strictEqual(viewVerification(verification, START + 300_000).status, "expired")
    assert.isNull(viewVerification(verification, START + 300_000).remainingSeconds)
  })

  it.prop(
    "has remaining seconds exactly while it is queued and a channel is left, rounded up and not below zero",
    [looked],
    ([{ verification, now }]) => {
      const { status, remainingSeconds } = viewVerification(verification, now)
      const { nextStepAt, attempts, route } = verification
      if (status !== "queued" || attempts.length === route.length || nextStepAt === null) {
        assert.isNull(remainingSeconds)
      } else {
        const seconds = remainingSeconds ?? Number.NaN
        assert.isTrue(Number.isInteger(seconds) && seconds >= 0)
        const covered = now + seconds * 1_000
        assert.isAtLeast(covered, nextStepAt)
        if (seconds > 0) assert.isBelow(covered - 1_000, nextStepAt)
      }
    },
    runs
  )

  it.each([
    [0, 60],
    [1, 60],
    [999, 60],
    [1_000, 59],
    [59_999, 1],
    [60_000, 0],
    [65_000, 0]
  ])("has, %i ms into a wait of 60 s, %i remaining seconds", (elapsed, seconds) => {
    const verification = tried([60, 60], "Accepted")
    assert.strictEqual(viewVerification(verification, START + elapsed).remainingSeconds, seconds)
  })

  it.prop(
    "has for each attempt its position in the route, its channel, its status and its time",
    [looked],
    ([{ verification, now }]) => {
      assert.deepStrictEqual(
        viewVerification(verification, now).attempts.map(({ sequence, channel, status, dispatchedAt }) => ({
          sequence,
          channel,
          status,
          dispatchedAt
        })),
        verification.attempts.map(({ step, status, attempted_at }) => ({
          sequence: step + 1,
          channel: (verification.route[step] ?? verification.route[0]).descriptor,
          status,
          dispatchedAt: attempted_at
        }))
      )
    },
    runs
  )

  it.prop(
    "says of each attempt but the last why the route went on: timed_out if it was sent, else failed",
    [looked],
    ([{ verification, now }]) => {
      const attempts = viewVerification(verification, now).attempts
      for (const { status, transitionReason } of attempts.slice(0, -1)) {
        assert.strictEqual(transitionReason, status === "sent" ? "timed_out" : "failed")
      }
      assert.isNull(attempts.at(-1)?.transitionReason ?? null)
    },
    runs
  )

  it.prop(
    "has as its current channel the last that was tried, with that attempt's status",
    [looked],
    ([{ verification, now }]) => {
      const { attempts, currentChannel, currentChannelStatus } = viewVerification(verification, now)
      const last = attempts.at(-1)
      assert.deepStrictEqual(currentChannel, last?.channel ?? verification.route[0].descriptor)
      assert.strictEqual(currentChannelStatus, last?.status ?? null)
    },
    runs
  )

  it("is, before the first attempt, the first channel and no attempt, status or remaining time", () => {
    const verification = created(routeOf([60, 60]))
    const view = viewVerification(verification, START + 1_000)
    assert.deepStrictEqual(
      [
        view.status,
        view.currentChannel.provider,
        view.currentChannelStatus,
        view.remainingSeconds,
        view.attempts
      ],
      ["pending", "bale", null, null, []]
    )
  })

  it("shows an unknown outcome as a failed attempt", () => {
    const { attempts } = viewVerification(tried([60, 60], "Unknown", "Accepted"), START)
    assert.deepStrictEqual(
      attempts.map(({ status, transitionReason }) => [status, transitionReason]),
      [
        ["failed", "failed"],
        ["sent", null]
      ]
    )
  })
})

/** Null while there is none. */
const statusIn = (verification: Verification) =>
  isAnswered(verification) ? sendResponse(verification).status : null

describe("the answer of send", () => {
  it.each([
    ["unknown while the first attempt is under way", created(routeOf([60])), null],
    ["queued when the only channel took the code", tried([60], "Accepted"), "queued"],
    ["failed when the only channel definitely failed", tried([60], "Rejected"), "failed"],
    ["queued when the only channel's outcome is unknown", tried([60], "Unknown"), "queued"],
    ["queued when the first of two channels failed", tried([60, 60], "Rejected"), "queued"],
    ["queued still when the second channel failed as well", tried([60, 60], "Rejected", "Rejected"), "queued"]
  ])("is %s", (_, verification, status) => {
    assert.strictEqual(statusIn(verification), status)
  })

  it.prop(
    "names the channel that was called first, and stays what it was from then on",
    [route, happenings],
    ([route, list]) => {
      const answers = live(route, list).flatMap(({ after }) =>
        isAnswered(after) ? [sendResponse(after)] : []
      )
      for (const answer of answers) assert.deepStrictEqual(answer, answers[0])
      for (const { after } of live(route, list)) {
        const [first] = after.attempts
        if (first !== undefined)
          assert.deepStrictEqual(sendResponse(after).channel, route[first.step]?.descriptor)
      }
    },
    runs
  )
})
