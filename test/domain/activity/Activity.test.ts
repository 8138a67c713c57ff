import { assert, describe, it } from "@effect/vitest"
import {
  channelsOf,
  gapsOf,
  isDue,
  isStale,
  isUsable,
  rangesOf,
  secondsWithin,
  SLOT_MILLIS,
  slotOf,
  sumOf
} from "../../../src/domain/Activity.ts"
import { figures } from "../../support/SlotFigures.ts"

const NOW = slotOf(1_800_000_000_000) + 10 * 60_000

describe("sums of slots", () => {
  const slots = [
    { startsAt: 0, figures: [figures({ accepted: 3, verified: 2, seconds: { 4: 1, 9: 1 } })] },
    {
      startsAt: SLOT_MILLIS,
      figures: [
        figures({ accepted: 2, verified: 1, seconds: { 9: 1 } }),
        figures({ channel: "bale", accepted: 1, sent: 1 }),
        figures({ channel: "sms", accepted: 5, cost: 1000 })
      ]
    }
  ]

  it("add what is chosen, times to verify too", () => {
    const sums = sumOf(slots, ({ channel }) => channel === null)
    assert.deepStrictEqual(sums, {
      accepted: 5,
      verified: 3,
      sent: 0,
      failed: 0,
      delivered: 0,
      undelivered: 0,
      cost: 0,
      seconds: { 4: 1, 9: 2 },
      errors: {}
    })
  })

  it("name the channels, the most used first", () => {
    assert.deepStrictEqual(channelsOf(slots), ["sms", "bale"])
  })
})

describe("the time within which a share was verified", () => {
  it("is not known without any that was", () => {
    assert.isNull(secondsWithin({ seconds: {} }, 0.5))
  })

  it("lies in the class in which the share is reached", () => {
    // 10 below one second, 10 from 20 to 25 seconds.
    const sums = { seconds: { 0: 10, 12: 10 } }
    assert.strictEqual(secondsWithin(sums, 0.5), 1)
    assert.strictEqual(secondsWithin(sums, 0.75), 23)
    assert.strictEqual(secondsWithin(sums, 1), 25)
  })

  it("is the longest class for those beyond it", () => {
    assert.strictEqual(secondsWithin({ seconds: { 31: 4 } }, 0.95), 600)
  })
})

describe("a slot's figures", () => {
  const ended = slotOf(NOW) - 4 * SLOT_MILLIS

  it("are missing until they were summed up once", () => {
    assert.isTrue(isStale({ startsAt: ended, summedAt: null, isOpen: true }, NOW))
  })

  it("are final once the slot and all of its sends are over", () => {
    const summedAt = ended + SLOT_MILLIS + 61_000
    assert.isFalse(isStale({ startsAt: ended, summedAt, isOpen: false }, NOW))
  })

  it("are looked at again while the slot goes on, at most every 10 seconds", () => {
    const startsAt = slotOf(NOW)
    assert.isFalse(isStale({ startsAt, summedAt: NOW - 9000, isOpen: false }, NOW))
    assert.isTrue(isStale({ startsAt, summedAt: NOW - 10_000, isOpen: false }, NOW))
  })

  it("are looked at again as often for ten minutes after it: its codes can still be verified", () => {
    const startsAt = slotOf(NOW)
    const now = startsAt + SLOT_MILLIS + 10 * 60_000
    assert.isTrue(isStale({ startsAt, summedAt: now - 10_000, isOpen: true }, now))
  })

  it("are looked at again the less often, the older they are", () => {
    const startsAt = slotOf(NOW) - 48 * SLOT_MILLIS
    assert.isFalse(isStale({ startsAt, summedAt: NOW - 25 * 60_000, isOpen: true }, NOW))
    assert.isTrue(isStale({ startsAt, summedAt: NOW - 30 * 60_000, isOpen: true }, NOW))
  })
})

const HOUR = 3_600_000

describe("sums that rounds make each hour", () => {
  it("are used by reports all the time once the slot is over, while reports of deliveries arrive for a day", () => {
    const startsAt = slotOf(NOW)
    for (const offset of [1, 29, 31, 59].map((minutes) => minutes * 60_000)) {
      let summedAt: number | null = null
      for (let round = startsAt + offset; round < startsAt + 26 * HOUR; round += HOUR) {
        const isLate = round >= startsAt + SLOT_MILLIS + HOUR + 120_000
        // the longest round takes ten minutes, and just before the next one the figures are oldest
        if (isLate) assert.isTrue(isUsable({ startsAt, summedAt, isOpen: true }, round - 1))
        if (isDue({ startsAt, summedAt, isOpen: true }, round)) summedAt = round + 10 * 60_000
      }
    }
  })

  it("are made a few times for a slot that waits for reports, not each hour", () => {
    const startsAt = slotOf(NOW)
    let summedAt: number | null = null
    let made = 0
    for (let round = startsAt; round < startsAt + 26 * HOUR; round += HOUR) {
      if (!isDue({ startsAt, summedAt, isOpen: true }, round)) continue
      summedAt = round
      made += 1
    }
    assert.isAtMost(made, 13)
  })

  it("are made once if nothing was open, and not before the slot is over", () => {
    const startsAt = slotOf(NOW)
    assert.isFalse(isDue({ startsAt, summedAt: null, isOpen: true }, startsAt + SLOT_MILLIS))
    const over = startsAt + SLOT_MILLIS + 60_000
    assert.isTrue(isDue({ startsAt, summedAt: over - 1, isOpen: false }, over))
    assert.isFalse(isDue({ startsAt, summedAt: over, isOpen: false }, over + 48 * HOUR))
  })

  it("are not used if they were made before the slot was over, or too long ago", () => {
    const startsAt = slotOf(NOW)
    const over = startsAt + SLOT_MILLIS + 60_000
    assert.isFalse(isUsable({ startsAt, summedAt: null, isOpen: true }, over))
    assert.isFalse(isUsable({ startsAt, summedAt: over - 1, isOpen: false }, over))
    assert.isTrue(isUsable({ startsAt, summedAt: over, isOpen: false }, over + 100 * HOUR))
    assert.isFalse(isUsable({ startsAt, summedAt: over, isOpen: true }, over + 100 * HOUR))
  })
})

describe("the gaps between slots", () => {
  const slot = (startsAt: number) => ({ startsAt, figures: [] })

  it("are the whole time if there are no slots", () => {
    assert.deepStrictEqual(gapsOf({ from: 5, to: 9 }, []), [{ from: 5, to: 9 }])
  })

  it("are its edges and what lies between slots, whose order does not matter", () => {
    const slots = [slot(3 * SLOT_MILLIS), slot(SLOT_MILLIS), slot(2 * SLOT_MILLIS), slot(6 * SLOT_MILLIS)]
    assert.deepStrictEqual(gapsOf({ from: 7, to: 8 * SLOT_MILLIS }, slots), [
      { from: 7, to: SLOT_MILLIS },
      { from: 4 * SLOT_MILLIS, to: 6 * SLOT_MILLIS },
      { from: 7 * SLOT_MILLIS, to: 8 * SLOT_MILLIS }
    ])
  })

  it("are none if slots cover it", () => {
    assert.deepStrictEqual(gapsOf({ from: 0, to: SLOT_MILLIS }, [slot(0)]), [])
  })
})

describe("ranges of slots", () => {
  it("join neighbours, the newest first, up to the longest range", () => {
    const slots = [0, 1, 2, 5, 6].map((index) => index * SLOT_MILLIS)
    assert.deepStrictEqual(rangesOf(slots, 2), [
      { from: 5 * SLOT_MILLIS, to: 7 * SLOT_MILLIS },
      { from: SLOT_MILLIS, to: 3 * SLOT_MILLIS },
      { from: 0, to: SLOT_MILLIS }
    ])
  })
})
