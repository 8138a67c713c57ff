import { assert, describe, it } from "@effect/vitest"
import { SLOT_MILLIS } from "../../../src/domain/Activity.ts"
import { noCodes, noSends, usageOfSlots } from "../../../src/domain/money/Usage.ts"
import { figures } from "../../support/SlotFigures.ts"

/** 2026-03-01T00:00:00Z */
const MARCH = 1_772_323_200_000

/** Before and after a midnight: codes over two channels, and a message. */
const slots = [
  {
    startsAt: MARCH - SLOT_MILLIS,
    figures: [
      // ten below one second, ten from 20 to 25 seconds
      figures({ accepted: 30, verified: 20, seconds: { 0: 10, 12: 10 } }),
      figures({ channel: "sms", accepted: 10, sent: 9, failed: 1, cost: 90, errors: { rate_limited: 1 } }),
      figures({ channel: "bale", accepted: 30, sent: 30, delivered: 28, undelivered: 2, verified: 20 })
    ]
  },
  {
    startsAt: MARCH,
    figures: [
      figures({ kind: "message", accepted: 1 }),
      figures({ kind: "message", channel: "sms", accepted: 1, sent: 1, cost: 10 })
    ]
  }
]

describe("usage by sums", () => {
  it("adds the attempts of all channels to a day", () => {
    const usage = usageOfSlots(slots, { byDay: true, byChannel: false })
    assert.deepStrictEqual(usage, [
      {
        day: "2026-02-28",
        channel: null,
        codes: {
          accepted: 30,
          sent: 39,
          failed: 1,
          errors: { rate_limited: 1 },
          delivered: 28,
          undelivered: 2,
          cost: 90,
          verified: 20,
          medianSeconds: 1
        },
        messages: noSends
      },
      {
        day: "2026-03-01",
        channel: null,
        codes: noCodes,
        messages: { ...noSends, accepted: 1, sent: 1, cost: 10 }
      }
    ])
  })

  it("names channels in their order, and none without sends", () => {
    const names = usageOfSlots(slots, { byDay: true, byChannel: true }).map(({ day, channel }) => [
      day,
      channel
    ])
    assert.deepStrictEqual(names, [
      ["2026-02-28", "bale"],
      ["2026-02-28", "sms"],
      ["2026-03-01", "sms"]
    ])
    const [bale] = usageOfSlots(slots, { byDay: false, byChannel: true })
    assert.deepStrictEqual([bale?.day, bale?.codes.accepted, bale?.codes.verified], [null, 30, 20])
  })

  it("is empty without sends", () => {
    assert.deepStrictEqual(usageOfSlots([], { byDay: false, byChannel: false }), [])
  })
})
