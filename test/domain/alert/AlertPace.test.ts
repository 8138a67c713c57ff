import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  afterQuiet,
  ALERT_GAP_MILLIS,
  ALERT_GIVE_UP_MILLIS,
  ALERT_REMINDER_MILLIS,
  newSubject,
  nextAlertTry,
  type QuietHours,
  seen,
  sendableAt,
  type Sighting,
  type SubjectState
} from "../../../src/domain/alert/AlertPace.ts"
import { DAY_MILLIS, HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../../../src/domain/Instant.ts"

/** A day in Tehran: midnight is 20:30 UTC. */
const MIDNIGHT = Date.UTC(2026, 10, 26, 20, 30)
const at = (hours: number, minutes = 0) => MIDNIGHT + hours * HOUR_MILLIS + minutes * MINUTE_MILLIS
const NIGHT: QuietHours = { from: 22 * 60, until: 8 * 60 }

/** What became of sightings, each so many minutes after the one before; `over`: the condition ended. */
const story = (events: ReadonlyArray<readonly [minutes: number, what: Sighting | "over"]>) => {
  let state: SubjectState = newSubject
  let now: Instant = MIDNIGHT
  const alerts: Array<{ readonly at: Instant; readonly heldBack: number }> = []
  let happened = 0
  for (const [minutes, what] of events) {
    now += minutes * MINUTE_MILLIS
    if (what === "over") {
      state = { ...state, isOpen: false }
      continue
    }
    if (what === "happened" || !state.isOpen) happened += 1
    const next = seen(state, what, now)
    state = next.state
    if (next.alert !== null) alerts.push({ at: now, heldBack: next.alert.heldBack })
  }
  return { state, alerts, happened }
}

const heldBack = (events: Parameters<typeof story>[0]) => story(events).alerts.map((each) => each.heldBack)

describe("alerts of one kind and subject", () => {
  it("begin at once, and are not repeated while the condition lasts", () => {
    assert.deepStrictEqual(
      heldBack([
        [0, "found"],
        [1, "found"],
        [58, "found"],
        [120, "found"]
      ]),
      [0]
    )
  })

  it("are at most one an hour: those held back are counted in the next", () => {
    assert.deepStrictEqual(
      heldBack([
        [0, "found"],
        [5, "over"],
        [5, "found"],
        [5, "over"],
        [5, "found"],
        [5, "over"],
        [60, "found"]
      ]),
      [0, 2]
    )
  })

  it("come after the hour, if what was held back still lasts; it is not counted beside itself", () => {
    assert.deepStrictEqual(
      heldBack([
        [0, "found"],
        [5, "over"],
        [5, "found"],
        [30, "found"],
        [20, "found"]
      ]),
      [0, 0]
    )
  })

  it("remind of what lasts a day later", () => {
    assert.deepStrictEqual(
      heldBack([
        [0, "found"],
        [23 * 60, "found"],
        [60, "found"],
        [60, "found"]
      ]),
      [0, 0]
    )
  })

  it("count what somebody reports again and again", () => {
    assert.deepStrictEqual(
      heldBack([
        [0, "happened"],
        [10, "happened"],
        [10, "happened"],
        [50, "happened"]
      ]),
      [0, 2]
    )
  })

  const Event = Schema.Tuple([
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 })),
    Schema.Literals(["found", "happened", "over"])
  ])

  it.prop("keep their distance, and lose no count", [Schema.Array(Event)], ([events]) => {
    const { alerts, happened, state } = story(events)
    for (const [index, { at: sentAt }] of alerts.entries()) {
      const before = alerts[index - 1]
      if (before !== undefined) assert.isAtLeast(sentAt - before.at, ALERT_GAP_MILLIS)
    }
    // Reminders of a condition that lasts say nothing new.
    const counted = alerts.reduce((sum, each) => sum + each.heldBack + 1, 0) + state.heldBack
    assert.isAtLeast(counted, happened)
    assert.isAtMost(alerts.length, 1 + happened + events.length)
    if (happened > 0) assert.isAbove(alerts.length, 0)
  })

  it.prop(
    "remind at most once a day of what only lasts",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 600 })))],
    ([steps]) => {
      const { alerts } = story(steps.map((minutes) => [minutes, "found"]))
      for (const [index, { at: sentAt }] of alerts.entries()) {
        const before = alerts[index - 1]
        if (before !== undefined) assert.isAtLeast(sentAt - before.at, ALERT_REMINDER_MILLIS)
      }
    }
  )
})

describe("quiet hours", () => {
  it.each([
    ["in the evening", at(22), at(32)],
    ["a minute before them", at(21, 59), at(21, 59)],
    ["after midnight", at(3), at(8)],
    ["at their end", at(8), at(8)],
    ["by day", at(12), at(12)]
  ])("over midnight, %s", (_, now, expected) => {
    assert.strictEqual(afterQuiet(now, NIGHT), expected)
  })

  it("within a day", () => {
    const nap = { from: 13 * 60, until: 15 * 60 }
    assert.deepStrictEqual(
      [at(12, 59), at(13), at(14, 59), at(15)].map((now) => afterQuiet(now, nap)),
      [at(12, 59), at(15), at(15), at(15)]
    )
  })

  it("delay a low balance, but neither a channel that is down nor a test", () => {
    const settings = { quietHours: NIGHT, urgentPasses: true }
    assert.strictEqual(sendableAt("balance_low", settings, at(3)), at(8))
    for (const kind of ["channel_down", "guard_alarm", "webhook_off"] as const) {
      assert.strictEqual(sendableAt(kind, settings, at(3)), at(3))
      assert.strictEqual(sendableAt(kind, { ...settings, urgentPasses: false }, at(3)), at(8))
    }
    assert.strictEqual(sendableAt("test", { ...settings, urgentPasses: false }, at(3)), at(3))
    assert.strictEqual(sendableAt("webhook_failing", settings, at(3)), at(8))
  })

  const Minute = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1439 }))

  it.prop(
    "end within a day, and outside of themselves",
    [Minute, Minute, Minute],
    ([from, until, minute]) => {
      const now = MIDNIGHT + minute * MINUTE_MILLIS
      const free = afterQuiet(now, { from, until })
      assert.isAtLeast(free, now)
      assert.isAtMost(free - now, DAY_MILLIS)
      assert.strictEqual(afterQuiet(free, { from, until }), free)
    }
  )
})

describe("a delivery that failed", () => {
  it.prop(
    "is tried less and less often, and given up after a day",
    [Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.999 }))],
    ([random]) => {
      let now = MIDNIGHT
      let tries = 1
      for (let next = nextAlertTry(tries, MIDNIGHT, now, random); next !== null;) {
        assert.isAbove(next, now)
        now = next
        tries += 1
        next = nextAlertTry(tries, MIDNIGHT, now, random)
      }
      assert.isAtMost(now - MIDNIGHT, ALERT_GIVE_UP_MILLIS)
      assert.isAtLeast(tries, 5)
    }
  )
})
