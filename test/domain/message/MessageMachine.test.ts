import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { type Message, type MessageStatus, viewMessage } from "../../../src/domain/message/Message.ts"
import { created } from "./MessageExamples.ts"
import { begins, type Entry, happenings, isOver, live, setting, SIZE } from "./MessageRuns.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const runs = { arbitrary: { runs: propertyRuns(1_000), size: SIZE } }

/** The status as the contract has it, from what is known of the attempts alone. */
const expectedStatus = (message: Message): MessageStatus => {
  const { route, strategy } = message
  const { attempts, successfulAttempts, failedAttempts } = viewMessage(message)
  const isComplete =
    (strategy === "failover" && successfulAttempts > 0) ||
    successfulAttempts + failedAttempts === route.length
  if (!isComplete) return attempts.some(({ attemptedAt }) => attemptedAt !== null) ? "sending" : "queued"
  if (successfulAttempts === 0) return "failed"
  return strategy === "failover" || failedAttempts === 0 ? "sent" : "partial_failed"
}

const eventsOf = (entries: ReadonlyArray<Entry>) =>
  entries.flatMap(({ transition }) => transition?.events ?? [])

/** All but what sending changes. */
const fixedPart = (message: Message): Partial<Message> => {
  const { status: _, revision: __, attempts: ___, patientUntil: ____, completedAt: _____, ...fixed } = message
  return fixed
}

describe("a message", () => {
  it.prop(
    "has the status that follows from its attempts, at any time",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after } of live(setting, list)) assert.strictEqual(after.status, expectedStatus(after))
    },
    runs
  )

  it.prop(
    "counts as successful and failed what its attempts show",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after } of live(setting, list)) {
        const { attempts, successfulAttempts, failedAttempts } = viewMessage(after)
        const shown = (wanted: string) => attempts.filter(({ status }) => status === wanted).length
        assert.deepStrictEqual([successfulAttempts, failedAttempts], [shown("sent"), shown("failed")])
        assert.isAtMost(successfulAttempts + failedAttempts, after.route.length)
        if (setting.strategy === "failover") assert.isAtMost(successfulAttempts, 1)
      }
    },
    runs
  )

  it.prop(
    "is not changed by anything once it is complete",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after } of live(setting, list)) {
        if (isOver(before)) assert.strictEqual(after, before)
      }
    },
    runs
  )

  it.prop(
    "is completed at the time of the change that ended it, and not before",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after, turn } of live(setting, list)) {
        const completedAt = isOver(before) ? before.completedAt : isOver(after) ? turn.now : null
        assert.strictEqual(after.completedAt, completedAt)
      }
    },
    runs
  )

  it.prop(
    "has the next revision after each change, and is the very same message after what changed nothing",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after, transition } of live(setting, list)) {
        if (after === before) assert.deepStrictEqual(transition?.events ?? [], [])
        else assert.strictEqual(after.revision, before.revision + 1)
      }
    },
    runs
  )

  it.prop(
    "keeps whom, what, when and over which route it is sent",
    [setting, happenings],
    ([setting, list]) => {
      const fixed = fixedPart(created(setting))
      for (const { after } of live(setting, list)) assert.deepStrictEqual(fixedPart(after), fixed)
    },
    runs
  )

  it.prop(
    "announces once that it is being sent, with the first attempt that begins",
    [setting, happenings],
    ([setting, list]) => {
      const entries = live(setting, list)
      const first = begins(entries)[0]?.index
      assert.deepStrictEqual(
        entries.flatMap(({ transition }, index) =>
          transition?.events.includes("message.sending") === true ? [index] : []
        ),
        first === undefined ? [] : [first]
      )
    },
    runs
  )

  it.prop(
    "announces its final status once, with the change that ended it",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after, transition } of live(setting, list)) {
        const others = (transition?.events ?? []).filter((event) => event !== "message.sending")
        const ended = isOver(after) && !isOver(before)
        assert.deepStrictEqual(others as ReadonlyArray<string>, ended ? [`message.${after.status}`] : [])
      }
    },
    runs
  )

  it.prop(
    "announces nothing twice",
    [setting, happenings],
    ([setting, list]) => {
      const events = eventsOf(live(setting, list))
      assert.strictEqual(new Set(events).size, events.length)
    },
    runs
  )

  it.effect("meets every end under both strategies, and every decision, in the generated lives", () =>
    Effect.gen(function* () {
      const input = Arbitrary.all([setting, happenings])
      const sampled = yield* Arbitrary.sampleEffect(input, { count: 3_000, seed: 1, size: SIZE })
      const lives = sampled.map(([setting, list]) => live(setting, list))
      const entries = lives.flat()
      const times = (names: ReadonlyArray<string>) =>
        Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]))
      const atLeast = (counts: Record<string, number>, minimum: Record<string, number>) => {
        for (const [name, count] of Object.entries(minimum)) assert.isAtLeast(counts[name] ?? 0, count, name)
        assert.deepStrictEqual(Object.keys(counts).sort(), Object.keys(minimum).sort())
      }
      const last = lives.flatMap((life) => life.at(-1)?.after ?? [])
      atLeast(times(last.map(({ strategy, status }) => `${strategy} ${status}`)), {
        "failover queued": 30,
        "failover sending": 100,
        "failover sent": 400,
        "failover failed": 300,
        "broadcast queued": 30,
        "broadcast sending": 100,
        "broadcast sent": 50,
        "broadcast failed": 300,
        "broadcast partial_failed": 300
      })
      atLeast(times(entries.flatMap(({ action }) => action?._tag ?? [])), {
        Send: 5_000,
        Abandon: 500,
        Sleep: 300,
        Nothing: 5_000
      })
    })
  )

  it.effect("meets retries, stale reports, waits and lanes side by side in the generated lives", () =>
    Effect.gen(function* () {
      const input = Arbitrary.all([setting, happenings])
      const sampled = yield* Arbitrary.sampleEffect(input, { count: 3_000, seed: 2, size: SIZE })
      const lives = sampled.map(([setting, list]) => live(setting, list))
      const entries = lives.flat()
      const attempts = lives.flatMap((life) => life.at(-1)?.after.attempts ?? [])
      assert.isAbove(attempts.filter(({ tries }) => tries === 3).length, 100)
      assert.isAbove(attempts.filter(({ tries, status }) => tries > 1 && status === "sent").length, 100)
      assert.isAbove(attempts.filter(({ error_code }) => error_code === "account_unavailable").length, 300)
      const stale = entries.filter(
        ({ kind, deed, before }) => kind === "late" && deed !== null && !isOver(before)
      )
      assert.isAbove(stale.length, 300)
      const during = stale.filter(
        ({ deed, before }) =>
          deed?._tag === "Record" &&
          before.attempts.some(({ step, status }) => step === deed.call.step && status === "sending")
      )
      assert.isAbove(during.length, 30)
      const gaveWay = entries.filter(
        ({ deed, before, after }) =>
          deed?._tag === "Begin" &&
          before.attempts.some(
            ({ step, status }) =>
              status === "pending" && after.attempts.some((at) => at.step === step && at.status === "failed")
          )
      )
      assert.isAbove(gaveWay.length, 50)
      const sideBySide = entries.filter(
        ({ after }) => after.attempts.filter(({ status }) => status === "sending").length > 1
      )
      assert.isAbove(sideBySide.length, 300)
      const waits = entries.filter(({ deed, before, after }) => deed?._tag === "Wait" && after !== before)
      assert.isAbove(waits.filter(({ after }) => after.completedAt === null).length, 300)
    })
  )
})
