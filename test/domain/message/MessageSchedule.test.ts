import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { HORIZON_MILLIS, planSchedule, type ScheduleRequest } from "../../../src/domain/message/Schedule.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const NOW = 1_800_000_000_123
const DAY = 86_400_000

const planned = (request: ScheduleRequest, now = NOW): number | null | string =>
  Result.match(planSchedule(request, now), {
    onFailure: ({ _tag }): number | null | string => _tag,
    onSuccess: (instant) => instant
  })

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY }
const unit = Schema.Literals(["s", "m", "h", "d"])

/** The outcome for a time that far ahead. */
const expected = (ahead: number, now: number): number | string => {
  if (ahead <= 0) return "schedule_must_be_future"
  return ahead > 30 * DAY ? "schedule_too_far" : now + ahead
}

/** Times in question: anywhere, and at the edges to the millisecond. */
const ahead = Arbitrary.schema(
  Schema.Union([
    Schema.Literals([-1, 0, 1, 30 * DAY - 1, 30 * DAY, 30 * DAY + 1, -30 * DAY]),
    between(-2 * DAY, 40 * DAY)
  ])
)

const runs = { arbitrary: { runs: propertyRuns(1_000) } }

describe("a message's time", () => {
  it("is none when neither send_at nor delay is given", () => {
    assert.isNull(planned({}))
    assert.isNull(planned({ sendAt: undefined, delay: undefined }))
  })

  it("may be up to thirty days ahead", () => {
    assert.strictEqual(HORIZON_MILLIS, 30 * DAY)
  })
})

describe("send_at", () => {
  it.prop(
    "is the time when it is in the future and not beyond thirty days, to the millisecond",
    [ahead, between(0, 4_000_000_000_000)],
    ([ahead, now]) => {
      assert.strictEqual(planned({ sendAt: now + ahead }, now), expected(ahead, now))
    },
    runs
  )

  it("has to be in the future: now is too late", () => {
    assert.strictEqual(planned({ sendAt: NOW }), "schedule_must_be_future")
  })

  it("may be the next millisecond", () => {
    assert.strictEqual(planned({ sendAt: NOW + 1 }), NOW + 1)
  })

  it("may be thirty days ahead", () => {
    assert.strictEqual(planned({ sendAt: NOW + 30 * DAY }), NOW + 30 * DAY)
  })

  it("is schedule_too_far a millisecond beyond thirty days", () => {
    assert.strictEqual(planned({ sendAt: NOW + 30 * DAY + 1 }), "schedule_too_far")
  })

  it("that is the Unix epoch is in the past, and not absent", () => {
    assert.strictEqual(planned({ sendAt: 0 }), "schedule_must_be_future")
  })
})

describe("delay", () => {
  it.prop(
    "is a positive number of seconds, minutes, hours or days, up to thirty days in all",
    [
      Arbitrary.schema(Schema.Union([between(1, 100), between(1, 3_000_000)])),
      unit,
      between(0, 4_000_000_000_000)
    ],
    ([count, unit, now]) => {
      assert.strictEqual(planned({ delay: `${count}${unit}` }, now), expected(count * units[unit], now))
    },
    runs
  )

  it.each([
    ["1s", 1_000],
    ["90m", 5_400_000],
    ["24h", DAY],
    ["30d", 30 * DAY],
    ["720h", 30 * DAY],
    ["43200m", 30 * DAY],
    ["2592000s", 30 * DAY]
  ])("of %s is %i ms from now", (delay, millis) => {
    assert.strictEqual(planned({ delay }), NOW + millis)
  })

  it.each([
    "31d",
    "721h",
    "43201m",
    "2592001s",
    "9007199254740993d",
    "99999999999999999999s",
    `1${"0".repeat(308)}s`,
    `${"9".repeat(400)}d`,
    `${"9".repeat(10_000)}s`
  ])("is schedule_too_far when it is beyond thirty days, however large", (delay) => {
    assert.strictEqual(planned({ delay }), "schedule_too_far")
  })

  it.each([
    "",
    "0s",
    "0d",
    "00m",
    "01s",
    "-1s",
    "+1s",
    "1",
    "s",
    "1 s",
    " 1s",
    "1s ",
    "1s\n",
    "\n1s",
    "1S",
    "1M",
    "1H",
    "1D",
    "1w",
    "1ms",
    "1ss",
    "1m30s",
    "1.5h",
    "1,5h",
    "1e3s",
    "0x10s",
    "1_000s",
    "۵m",
    "٥m",
    "５m",
    "1month",
    "PT1H",
    "Infinitys",
    "NaNs",
    "1__proto__",
    "1constructor",
    `0${"9".repeat(10_000)}s`
  ])("is invalid_delay when it is %j", (delay) => {
    assert.strictEqual(planned({ delay }), "invalid_delay")
  })

  it.prop(
    "is invalid_delay whenever it is anything else",
    [Schema.String],
    ([delay]) => {
      if (!/^[1-9][0-9]*[smhd]$/.test(delay)) assert.strictEqual(planned({ delay }), "invalid_delay")
    },
    runs
  )
})
