import { assert, describe, it } from "@effect/vitest"
import type { Channel } from "../../../../src/domain/routing/Channel.ts"
import {
  type Candidate,
  type ChannelRecord,
  conversionOf,
  type Known,
  measuredOrder,
  measuredWait,
  noRecord,
  recorded
} from "../../../../src/domain/routing/MeasuredOrder.ts"
import { simulateRouting, situations } from "./RoutingSimulation.ts"

const PREFIX = "912"

/** A record of codes of which every `nth` is not verified; 1: none is. */
const recordOf = (codes: number, nth: number, from = noRecord, millis = 20_000): ChannelRecord => {
  let record = from
  for (let n = 1; n <= codes; n++) {
    const isVerified = n % nth !== 0
    record = recorded(record, { prefix: PREFIX, isVerified, millis: isVerified ? millis : null })
  }
  return record
}

const candidate = (channel: Channel, cost: number, isCooling = false): Candidate => ({
  channel,
  cost,
  isCooling
})
const saved = [candidate("bale", 1000), candidate("eitaa", 1000), candidate("sms", 2000)]

/** An id with which nothing is explored. */
const CALM = "calm"
const orderOf = (records: Known["records"], candidates = saved, id = CALM) =>
  measuredOrder({ records, platform: {} }, candidates, { prefix: PREFIX, id })
const channelsOf = (...given: Parameters<typeof orderOf>) =>
  orderOf(...given).steps.map(({ channel }) => channel)

describe("a measured order", () => {
  it("is the saved one where nothing is known", () => {
    assert.deepStrictEqual(channelsOf({}), ["bale", "eitaa", "sms"])
  })

  it("has the best channel first", () => {
    const records = { bale: recordOf(300, 2), eitaa: recordOf(300, 5), sms: recordOf(300, 2) }
    assert.deepStrictEqual(channelsOf(records), ["eitaa", "bale", "sms"])
  })

  it("prefers the cheapest within five points of the best", () => {
    const records = { bale: recordOf(400, 5), sms: recordOf(400, 6) }
    assert.strictEqual(channelsOf(records)[0], "bale")
    assert.strictEqual(channelsOf({ ...records, sms: recordOf(400, 20) })[0], "sms")
  })

  it("leaves a channel with few codes where it was put", () => {
    assert.strictEqual(channelsOf({ bale: recordOf(300, 3), eitaa: recordOf(9, 100) })[0], "bale")
  })

  it("has accounts that cool down last", () => {
    const records = { bale: recordOf(300, 10), eitaa: recordOf(300, 3), sms: recordOf(300, 2) }
    const candidates = [candidate("bale", 1000, true), candidate("eitaa", 1000), candidate("sms", 2000)]
    assert.deepStrictEqual(channelsOf(records, candidates), ["eitaa", "sms", "bale"])
  })

  it("says by which counts", () => {
    const [first] = orderOf({ bale: recordOf(100, 4) }).steps
    assert.closeTo(first?.codes ?? 0, 88, 1)
    assert.closeTo((first?.verified ?? 0) / (first?.codes ?? 1), 0.75, 0.01)
  })

  it("explores with one code in 25, by its id", () => {
    const ids = Array.from({ length: 10_000 }, (_, n) => `01890a5d-ac96-774b-bcce-${n}`)
    const explored = ids.filter((id) => orderOf({}, saved, id).isExplored)
    assert.isAbove(explored.length, 300)
    assert.isBelow(explored.length, 500)
    const [id = ""] = explored
    assert.deepStrictEqual(orderOf({}, saved, id), orderOf({}, saved, id))
    const first = new Set(explored.map((each) => channelsOf({}, saved, each)[0]))
    assert.deepStrictEqual(first, new Set(["eitaa", "sms"]))
  })
})

describe("the conversion of a channel", () => {
  it("is that with the operator, drawn towards the customer's, and that towards the platform's", () => {
    const platform = { bale: [1000, 300] as const }
    const few = { bale: recordOf(5, 100) }
    const many = { bale: recordOf(2000, 10) }
    const of = (records: Known["records"], prefix = PREFIX) =>
      conversionOf({ records, platform }, "bale", prefix)
    assert.isBelow(of({}), 0.35)
    assert.isBelow(of(few), 0.6)
    assert.closeTo(of(many), 0.9, 0.05)
    assert.isBelow(of(few, "935"), of(few))
  })
})

describe("an outage", () => {
  const usual = { bale: recordOf(500, 2), sms: recordOf(300, 2) }

  it("is left within thirty codes", () => {
    for (const nth of [2, 3, 5]) {
      let bale = recordOf(500, nth)
      let codes = 0
      while (channelsOf({ ...usual, bale })[0] === "bale") {
        bale = recordOf(1, 1, bale)
        codes += 1
      }
      assert.isAtMost(codes, 30)
    }
  })

  it("is forgotten once codes are verified again", () => {
    const fallen = recordOf(30, 1, recordOf(500, 4))
    assert.isNotNull(fallen.before)
    const recovered = recordOf(6, 100, fallen)
    assert.isNull(recovered.before)
    assert.isAbove(conversionOf({ records: { bale: recovered }, platform: {} }, "bale", PREFIX), 0.6)
  })

  it("is not what a usual dip is", () => {
    assert.isNull(recordOf(3000, 2, recordOf(500, 2)).before)
  })
})

describe("a measured wait", () => {
  it("is the time of nine in ten verified codes, within 45 and 120 seconds", () => {
    assert.isNull(measuredWait(recordOf(10, 100)))
    assert.strictEqual(measuredWait(recordOf(50, 100, noRecord, 70_000)), 70)
    assert.strictEqual(measuredWait(recordOf(50, 100, noRecord, 5000)), 45)
    assert.strictEqual(measuredWait(recordOf(50, 100, noRecord, 500_000)), 120)
  })
})

describe("codes of a customer, simulated", () => {
  const SEEDS = ["a", "b"]
  const meanOf = (situation: (typeof situations)[number], policy: "saved" | "measured" | "oracle") => {
    const results = SEEDS.map((seed) => simulateRouting({ situation, policy, seed, codes: 12_000 }))
    const mean = (of: (result: (typeof results)[number]) => number) =>
      results.reduce((sum, result) => sum + of(result), 0) / results.length
    return { conversion: mean(({ conversion }) => conversion), cost: mean(({ cost }) => cost) }
  }

  for (const situation of situations) {
    it(`${situation}: nearly as many are verified as an oracle's, at nearly its cost`, () => {
      const [measured, oracle] = [meanOf(situation, "measured"), meanOf(situation, "oracle")]
      assert.isAtLeast(measured.conversion, 0.97 * oracle.conversion)
      assert.isAtMost(measured.cost, 1.1 * oracle.cost)
    })
  }

  it("loses no more than one in a hundred where the saved order was right", () => {
    const [measured, fixed] = [meanOf("right order", "measured"), meanOf("right order", "saved")]
    assert.isAtLeast(measured.conversion, 0.99 * fixed.conversion)
  })
})
