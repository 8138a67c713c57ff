import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { WaitSeconds } from "../../../src/domain/routing/Waits.ts"
import type { Route, RouteStep } from "../../../src/domain/routing/Route.ts"
import { awaitSlot, chooseStep, recordAttempt } from "../../../src/domain/verification/Step.ts"
import { type Verification, nextDueAt } from "../../../src/domain/verification/Verification.ts"
import { decide } from "../../../src/domain/verification/VerificationMachine.ts"
import { created, outcomes as others, routeOf, START } from "./VerificationRuns.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const runs = { arbitrary: { runs: propertyRuns(2_000) } }

const TIMEOUT_MILLIS = 10_000

/** A channel, and how many accounts stand by for its first one. */
const ChannelPart = Schema.Struct({ wait: WaitSeconds, standby: Schema.Literals([0, 0, 1, 2, 5]) })

const withStandby = (step: RouteStep, count: number): ReadonlyArray<RouteStep> => [
  step,
  ...Array.from({ length: count }, (): RouteStep => ({ ...step, standby: true }))
]

const route = Arbitrary.array(Arbitrary.schema(ChannelPart), { minLength: 1, maxLength: 5 }).pipe(
  Arbitrary.map((parts): Route => {
    const [first, ...rest] = routeOf(parts.map(({ wait }) => wait)).flatMap((step, index) =>
      withStandby(step, parts[index]?.standby ?? 0)
    )
    return [first ?? routeOf([60])[0], ...rest]
  })
)

const outcomes = {
  ...others,
  Refused: ProviderOutcome.Rejected({ cause: "request", providerError: "no" }),
  Misconfigured: ProviderOutcome.Rejected({ cause: "configuration", providerError: "no credit" })
}

/** One call, and what came before it. */
const Happening = Schema.Struct({
  outcome: Schema.Literals([
    "Accepted",
    "Rejected",
    "Refused",
    "Misconfigured",
    "Misconfigured",
    "Throttled",
    "Unavailable",
    "Unknown"
  ]),
  callMillis: Schema.Literals([0, 35, 5_000, TIMEOUT_MILLIS]),
  /** How many of the next accounts are skipped because they cool down. */
  cooling: Schema.Literals([0, 0, 0, 1, 2]),
  /** How long the account's slot is away. */
  slotMillis: Schema.Literals([0, 0, 0, 1_000, 30_000])
})
type Happening = typeof Happening.Type

const happenings = Arbitrary.array(Arbitrary.schema(Happening), { minLength: 1, maxLength: 30 })

interface Call {
  readonly step: number
  readonly outcome: ProviderOutcome
  readonly attemptedAt: number
  readonly finishedAt: number
  readonly slotMillis: number
}

/** The verification with the step that is tried next, at its account's slot. */
const chosen = (
  verification: Verification,
  now: number,
  { cooling, slotMillis }: Pick<Happening, "cooling" | "slotMillis">
): Verification => {
  const { remaining } = verification
  const skipped = remaining.slice(0, Math.min(cooling, remaining.length - 1))
  const step = remaining[skipped.length] ?? 0
  if (slotMillis > 0) return awaitSlot(verification, { step, skipped, at: now + slotMillis }).next
  return skipped.length > 0 ? chooseStep(verification, { step, skipped }).next : verification
}

/** The calls of a code whose timers run on time, and the code after them. */
const play = (route: Route, list: ReadonlyArray<Happening>) => {
  const calls: Array<Call> = []
  let verification = created(route)
  for (const happening of list) {
    const dueAt = nextDueAt(verification) ?? Number.POSITIVE_INFINITY
    if (decide(verification, dueAt, false)._tag !== "TryStep") break
    verification = chosen(verification, dueAt, happening)
    const attemptedAt = nextDueAt(verification) ?? dueAt
    const action = decide(verification, attemptedAt, false)
    if (action._tag !== "TryStep") break
    const call = {
      step: action.steps[0],
      outcome: outcomes[happening.outcome],
      attemptedAt,
      finishedAt: attemptedAt + happening.callMillis
    }
    calls.push({ ...call, slotMillis: happening.slotMillis })
    verification = recordAttempt(verification, call).next
  }
  return { calls, verification }
}

/** Each call with the one before it. */
const pairs = (calls: ReadonlyArray<Call>) =>
  calls.slice(1).flatMap((call, index) => {
    const before = calls[index]
    return before === undefined ? [] : [{ before, call }]
  })

const channelOf = (route: Route, { step }: Call) => route[step]?.channel

/** The person has the code, may have it, or cannot be reached at all. */
const isSettled = ({ outcome }: Call): boolean =>
  outcome._tag === "Accepted" ||
  outcome._tag === "Unknown" ||
  (outcome._tag === "Rejected" && outcome.cause === "recipient")

describe("a code with standby accounts", () => {
  it.prop(
    "is sent again exactly at the end of its wait, at once after a failure, or at the slot of the account",
    [route, happenings],
    ([route, list]) => {
      for (const { before, call } of pairs(play(route, list).calls)) {
        const waited = before.attemptedAt + (route[before.step]?.wait ?? 0) * 1000
        const earliest = before.outcome._tag === "Accepted" ? waited : before.finishedAt
        assert.strictEqual(call.attemptedAt, earliest + call.slotMillis)
      }
    },
    runs
  )

  it.prop(
    "never waits longer for its next call than the wait of its channel, if accounts have a slot",
    [route, happenings],
    ([route, list]) => {
      const ready = list.map((each): Happening => ({ ...each, slotMillis: 0 }))
      const { calls } = play(route, ready)
      assert.strictEqual(calls[0]?.attemptedAt, START)
      for (const { before, call } of pairs(calls)) {
        assert.isAtMost(call.attemptedAt - before.attemptedAt, (route[before.step]?.wait ?? 0) * 1000)
      }
    },
    runs
  )

  it.prop(
    "is called on a channel no more once it was sent there, may have been, or found nobody",
    [route, happenings],
    ([route, list]) => {
      const { calls } = play(route, list)
      for (const [index, call] of calls.entries()) {
        const earlier = calls
          .slice(0, index)
          .filter((each) => channelOf(route, each) === channelOf(route, call))
        assert.isFalse(earlier.some(isSettled))
      }
    },
    runs
  )

  it.prop(
    "is called by each account at most once, and never after its end",
    [route, happenings],
    ([route, list]) => {
      const { calls, verification } = play(route, list)
      assert.strictEqual(new Set(calls.map(({ step }) => step)).size, calls.length)
      for (const { attemptedAt } of calls) assert.isBelow(attemptedAt, verification.expiresAt)
    },
    runs
  )

  it.prop(
    "tries every channel before it fails",
    [route, happenings],
    ([route, list]) => {
      const ready = list.map((each): Happening => ({ ...each, cooling: 0 }))
      const { calls, verification } = play(route, ready)
      if (verification.status !== "failed") return
      assert.deepStrictEqual(
        new Set(calls.map((call) => channelOf(route, call))),
        new Set(route.map(({ channel }) => channel))
      )
    },
    runs
  )
})
