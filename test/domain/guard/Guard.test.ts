import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { blockMillis, nextLevel } from "../../../src/domain/guard/Verdict.ts"
import { budgetOf, creditOf } from "../../../src/domain/guard/CodeBudget.ts"
import {
  ALARM_SCORE,
  expectedConversion,
  learn,
  leastUsual,
  judgingDelayOf,
  newProfile,
  nextScore,
  scoreOf,
  totalOf,
  usualInHour,
  usualPerHour
} from "../../../src/domain/guard/Conversion.ts"
import { newSegment, WHOLE } from "../../../src/domain/guard/Segments.ts"
import { adviceOf, type GuardDay } from "../../../src/domain/guard/Alarm.ts"
import {
  type CustomerState,
  type Refusals,
  newCustomerState,
  offProbation
} from "../../../src/domain/guard/CustomerState.ts"
import { judge, type DueCode, type RoundInput } from "../../../src/domain/guard/Round.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR

const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0.3, maximum: 0.97 }))

/** Codes until the alarm if none is verified. */
const codesToAlarm = (expected: number): number => {
  let score = 0
  for (let codes = 1; codes < 1000; codes++) {
    score = nextScore(score, false, expected)
    if (score >= ALARM_SCORE) return codes
  }
  return Number.POSITIVE_INFINITY
}

describe("the test of a segment", () => {
  it("sees codes that are never verified after 37, 21 or 14 of them", () => {
    assert.deepStrictEqual([0.5, 0.7, 0.85].map(codesToAlarm), [37, 21, 14])
  })

  it.prop("an unverified code always speaks for an attack, a verified one against it", [Share], ([share]) => {
    assert.isAbove(scoreOf(false, share), 0)
    assert.isBelow(scoreOf(true, share), 0)
  })

  it.prop("the score tends to 0 where as many are verified as expected", [Share], ([share]) => {
    assert.isBelow(share * scoreOf(true, share) + (1 - share) * scoreOf(false, share), 0)
  })

  it.prop(
    "the score tends to the alarm where less than 0.4 of the expected are verified",
    [Share],
    ([share]) => {
      const attacked = 0.4 * share
      assert.isAbove(attacked * scoreOf(true, share) + (1 - attacked) * scoreOf(false, share), 0)
    }
  )
})

describe("what is expected", () => {
  it("lies between the platform's conversion and the segment's own, and is the latter with many codes", () => {
    const few = learn(newProfile(0), 0, [3, 0])
    const many = learn(newProfile(0), 0, [3000, 1500])
    assert.isAbove(expectedConversion(0.8, [few], 0), 0.6)
    assert.closeTo(expectedConversion(0.8, [many], 0), 0.5, 0.01)
  })

  it("is that of the hour of the week, where it is known", () => {
    const night = learn(newProfile(0), 2 * HOUR, [500, 200])
    const both = learn(night, 12 * HOUR, [500, 450])
    assert.isBelow(expectedConversion(0.7, [both], 2 * HOUR), expectedConversion(0.7, [both], 12 * HOUR))
  })

  it("forgets what is older than two weeks", () => {
    const old = learn(newProfile(0), 0, [100, 100])
    assert.deepStrictEqual(totalOf(learn(old, 8 * DAY, [1, 0])), [101, 100])
    assert.deepStrictEqual(totalOf(learn(old, 15 * DAY, [1, 0])), [1, 0])
  })

  it("knows how many codes are usual in an hour", () => {
    let profile = newProfile(0)
    for (let hour = 0; hour < 48; hour++) profile = learn(profile, hour * HOUR, [10, 8])
    assert.closeTo(usualPerHour(profile, 48 * HOUR), 10, 0.5)
  })

  it("knows how many codes are usual at this time of the day, at night as in the afternoon", () => {
    let profile = newProfile(0)
    const codesIn = (hour: number) => (hour % 24 < 6 ? 2 : 20)
    for (let hour = 0; hour < 9 * 24; hour++) profile = learn(profile, hour * HOUR, [codesIn(hour), 0])
    for (const hour of [9 * 24 + 3, 9 * 24 + 15]) {
      assert.closeTo(usualInHour(profile, hour * HOUR).perHour, codesIn(hour), 0.1)
    }
    assert.strictEqual(usualInHour(learn(newProfile(0), 0, [12, 9]), 2 * HOUR).perHour, 6)
  })

  it("takes the hours next to it too, as one hour of a day is a matter of chance", () => {
    let profile = newProfile(0)
    for (const [hour, codes] of [12, 30, 12].entries())
      profile = learn(profile, (13 + hour) * HOUR, [codes, 0])
    const usual = usualInHour(profile, (24 + 14) * HOUR)
    assert.deepStrictEqual(usual, { perHour: 18, codes: 54 })
    assert.closeTo(leastUsual(usual), 15.5, 0.1)
    assert.closeTo(leastUsual({ perHour: 18, codes: 7 * 54 }), 17.1, 0.1)
  })
})

describe("the ladder", () => {
  it("doubles blocks from 5 minutes to 12 hours", () => {
    assert.deepStrictEqual([1, 2, 3].map(blockMillis), [300_000, 600_000, 1_200_000])
    assert.strictEqual(blockMillis(30), 12 * HOUR)
  })

  it("goes up with each alarm, and down with each quiet day", () => {
    assert.strictEqual(nextLevel({ level: 0, at: 0 }, DAY), 1)
    assert.strictEqual(nextLevel({ level: 3, at: 0 }, HOUR), 4)
    assert.strictEqual(nextLevel({ level: 3, at: 0 }, 2.5 * DAY), 2)
    assert.strictEqual(nextLevel({ level: 3, at: 0 }, 30 * DAY), 1)
  })
})

describe("budgets", () => {
  it.prop("a verified code gives back what the expected number of codes for it took", [Share], ([share]) => {
    assert.isAtLeast(share * creditOf(share), 1)
    assert.isBelow(share * creditOf(share), 1.1)
  })

  it("grow with the usual traffic", () => {
    assert.strictEqual(budgetOf({ kind: "network", key: "n" }, 10), 26)
    assert.strictEqual(budgetOf(WHOLE.all, 10), 36)
    assert.strictEqual(budgetOf(WHOLE.all, 10_000), 1500)
    assert.strictEqual(budgetOf(WHOLE.vouched, 10), 18)
  })
})

it("a code is judged after one to three minutes", () => {
  assert.deepStrictEqual([5, 90_000, 1e9].map(judgingDelayOf), [60_000, 90_000, 180_000])
})

const codeAt = (at: number, given: Partial<DueCode> = {}): DueCode => ({
  sentAt: at,
  dueAt: at + 60_000,
  prefix: `+98912${Math.floor(at / 1000)}`,
  network: `n${at}`,
  device: null,
  channel: "sms",
  isVerified: true,
  isVoid: false,
  weight: 1,
  took: "all",
  ...given
})

const inputOf = (customer: CustomerState): RoundInput => ({
  customer,
  segments: new Map(),
  alarmed: new Set(),
  platform: 0.75,
  platformOutage: null
})

const judgeFrom = (customer: CustomerState, codes: ReadonlyArray<DueCode>) => judge(inputOf(customer), codes)

const round = (codes: ReadonlyArray<DueCode>) => judgeFrom(newCustomerState(0), codes)

describe("a round", () => {
  const users = Array.from({ length: 200 }, (_, n) => codeAt(n * 60_000, { isVerified: n % 5 !== 0 }))

  it("raises nothing where users behave as usual", () => {
    assert.deepStrictEqual(round(users).alarms, [])
  })

  it("flags the network of an attack, and not the customer", () => {
    const attack = Array.from({ length: 60 }, (_, n) =>
      codeAt(n * 61_000 + 7, { isVerified: false, network: "bad" })
    )
    const { alarms } = round([...users, ...attack].sort((one, other) => one.sentAt - other.sentAt))
    assert.deepStrictEqual(
      alarms.map(({ kind, key }) => `${kind}:${key}`),
      ["network:bad"]
    )
  })

  it("flags the customer where an attack has nothing else in common", () => {
    const attack = Array.from({ length: 300 }, (_, n) =>
      codeAt(200 * 60_000 + n * 5000, { isVerified: false })
    )
    const kinds = round([...users, ...attack]).alarms.map(({ kind }) => kind)
    assert.deepStrictEqual([...new Set(kinds)], ["customer"])
  })

  it("flags a /48 whose /64s verify nothing, and not the customer; but no /48 with two of them", () => {
    const wide = "a".repeat(32)
    const attackFrom = (networks: number) =>
      Array.from({ length: 60 }, (_, n) => {
        const network = wide + (n % networks).toString(16).padStart(2, "0") + "00"
        return codeAt(n * 61_000 + 7, { isVerified: false, network })
      })
    const flagged = (networks: number) =>
      round([...users, ...attackFrom(networks)].sort((one, other) => one.sentAt - other.sentAt)).alarms.map(
        ({ kind, key }) => `${kind}:${key}`
      )
    assert.deepStrictEqual(flagged(60), [`network:around:${wide}`])
    assert.notInclude(flagged(2), `network:around:${wide}`)
  })

  it("flags the customer and not the network that most users come from", () => {
    const ofOne = users.map((code) => ({ ...code, network: "office" }))
    const attack = Array.from({ length: 300 }, (_, n) =>
      codeAt(200 * 60_000 + n * 5000, { isVerified: false, network: "office" })
    )
    const { alarms, segments } = round([...ofOne, ...attack])
    assert.deepStrictEqual([...new Set(alarms.map(({ kind }) => kind))], ["customer"])
    // its users are not known while it is suspicious
    assert.strictEqual(segments.get("network:office")?.state.score, 12)
  })

  it("calls it an outage where fewer codes than usual are verified, and raises nothing", () => {
    const lost = Array.from({ length: 100 }, (_, n) => codeAt((200 + n) * 60_000, { isVerified: false }))
    const { alarms, customer } = round([...users, ...lost])
    assert.deepStrictEqual(alarms, [])
    assert.strictEqual(customer.outage?.channel, "sms")
  })

  it("learns nothing from a segment that is suspicious", () => {
    const attack = Array.from({ length: 300 }, (_, n) =>
      codeAt(200 * 60_000 + n * 5000, { isVerified: false })
    )
    const [codes, verified] = totalOf(round([...users, ...attack]).customer.self.profile)
    assert.isAbove(verified / codes, 0.7)
  })

  describe("of a customer on probation", () => {
    const on = newCustomerState(0)
    const usual = { codesPerHour: 30, conversion: 0.75 }
    const probation = { ...on, usual, self: { ...on.self, score: 11, onProbation: true } }
    const ends = (refusals: Refusals) => {
      const codes = users.map((code) => ({ ...code, isVerified: true }))
      return !judgeFrom({ ...probation, refusals }, codes).customer.self.onProbation
    }

    it("ends it once users' codes are verified", () => {
      assert.isTrue(ends({ total: 1000, recent: 1, at: 0 }))
    })

    it("ends it an hour after a block, but not while an attack goes on", () => {
      const isKept = (recent: number, hours: number) => {
        const customer = { ...probation, refusals: { total: 1000, recent, at: 0 } }
        return offProbation(customer, customer.self.levelAt + hours * 3_600_000).self.onProbation
      }
      assert.deepStrictEqual([isKept(1, 0.9), isKept(1, 1), isKept(60, 1)], [true, false, true])
    })

    it("ends it an hour after a block, although all users are refused", () => {
      const refused = usual.codesPerHour
      const refusals = { total: refused, recent: refused / 12, at: 0, probation: { total: 0, since: 0 } }
      assert.isFalse(offProbation({ ...probation, refusals }, HOUR).self.onProbation)
    })

    it("begins another hour of it after one with a slow attack, and ends it after one without", () => {
      const attack = { total: 5 * usual.codesPerHour, recent: 1, at: 0, probation: { total: 0, since: 0 } }
      const longer = offProbation({ ...probation, refusals: attack }, HOUR)
      assert.isTrue(longer.self.onProbation)
      assert.isTrue(offProbation(longer, 1.9 * HOUR).self.onProbation)
      assert.isFalse(offProbation(longer, 2 * HOUR).self.onProbation)
    })

    it("keeps it while an attack goes on, although users' codes are verified", () => {
      assert.isFalse(ends({ total: 1000, recent: 60, at: 0 }))
    })
  })

  describe("of a customer whose users sleep", () => {
    /** Ten days of users: 60 codes an hour by day, 6 by night. */
    const days = 10
    const byDay = Array.from({ length: days * 24 * 60 }, (_, minute) => minute)
      .filter((minute) => minute % (24 * 60) >= 6 * 60 || minute % 10 === 0)
      .map((minute) => codeAt(minute * 60_000, { isVerified: minute % 4 !== 1 }))
    const known = round(byDay).customer
    const night = (days * 24 + 2) * HOUR
    const users = Array.from({ length: 18 }, (_, n) =>
      codeAt(night + n * 600_000, { isVerified: n % 4 !== 1 })
    )
    const attackOf = (codes: number) =>
      Array.from({ length: codes }, (_, n) =>
        codeAt(night + 1 + Math.round((n * 3 * HOUR) / codes), { isVerified: false })
      )
    const inOrder = (codes: ReadonlyArray<DueCode>) =>
      [...codes].sort((one, other) => one.sentAt - other.sentAt)

    it("takes no attack of 0.4 to 2 times the mean for an outage", () => {
      for (const times of [0.4, 1, 2]) {
        const { customer, alarms } = judgeFrom(known, inOrder([...users, ...attackOf(times * 47 * 3)]))
        assert.isNull(customer.outage)
        assert.isAtLeast(alarms.length, 1)
      }
    })

    it("ends an outage once as many codes as usual are verified, although an attack goes on", () => {
      const outage = { channel: "sms", since: night }
      const { customer } = judgeFrom({ ...known, outage }, inOrder([...users, ...attackOf(30)]))
      assert.isNull(customer.outage)
    })
  })

  it("takes an outage of the platform for none of a customer's that is flooded", () => {
    const platformOutage = { channel: "sms", since: 0 }
    const known = round(users).customer
    const codes = (seconds: number) =>
      Array.from({ length: 100 }, (_, n) => codeAt(200 * 60_000 + n * seconds * 1000, { isVerified: false }))
    const during = (seconds: number) => judge({ ...inputOf(known), platformOutage }, codes(seconds)).customer
    assert.isNotNull(during(60).outage)
    assert.isNull(during(5).outage)
  })

  describe("of a customer whose codes all come from one network", () => {
    const proxied = (code: DueCode) => ({ ...code, network: "proxy" })
    const known = round(users.map(proxied)).customer
    const lost = (delivered: number) =>
      Array.from({ length: 200 }, (_, n) =>
        proxied(codeAt((200 + n) * 60_000, { isVerified: (n * delivered) % 10 >= 10 - delivered }))
      )

    it("blocks nothing in an outage, be it total or of most codes", () => {
      for (const delivered of [0, 1, 2]) {
        const { alarms, customer } = judgeFrom(known, lost(delivered))
        assert.deepStrictEqual(alarms, [])
        assert.strictEqual(customer.outage?.channel, "sms")
      }
    })

    it("calls it an outage also while the network is on probation", () => {
      const segments = new Map([["network:proxy", { ...newSegment(0), score: 6, onProbation: true }]])
      assert.strictEqual(judge({ ...inputOf(known), segments }, lost(0)).customer.outage?.channel, "sms")
    })
  })

  it("calls it no outage while codes are refused as in an attack", () => {
    const lost = Array.from({ length: 100 }, (_, n) => codeAt((200 + n) * 60_000, { isVerified: false }))
    const known = { ...round(users).customer, refusals: { total: 500, recent: 500, at: 0 } }
    assert.isNull(judgeFrom(known, lost).customer.outage)
  })

  it("gives back to budgets what was never sent", () => {
    const { credits } = round([codeAt(0, { isVoid: true, network: "n" })])
    assert.strictEqual(credits.get("network:n"), 1)
  })

  it("counts and gives back a code of a sample for all that it stands for, and tests it once", () => {
    const one = round([codeAt(0, { network: "n" })])
    const four = round([codeAt(0, { network: "n", weight: 4 })])
    assert.deepStrictEqual(totalOf(four.customer.self.profile), [4, 4])
    assert.strictEqual(four.credits.get("network:n"), 4 * (one.credits.get("network:n") ?? 0))
    const bad = (weight: number) => round([codeAt(0, { isVerified: false, weight })]).customer.self
    assert.strictEqual(bad(4).score, bad(1).score)
    assert.strictEqual(bad(4).run.codes, 4)
  })
})

describe("the advice to enforce", () => {
  const day = (n: number, flaggedVerified = 0): GuardDay => ({
    day: `2026-11-${n}`,
    codes: 600,
    verified: 500,
    flagged: 0,
    flaggedVerified,
    flaggedSms: 0,
    flaggedCharges: 0,
    refused: 0,
    denied: 0
  })

  it("needs seven clean days in a row up to now, with 3000 verified codes", () => {
    const week = Array.from({ length: 7 }, (_, n) => day(20 - n))
    assert.isTrue(adviceOf(week).isAdvised)
    assert.isFalse(adviceOf(week.slice(1)).isAdvised)
    assert.isFalse(adviceOf([...week.slice(0, 3), day(17, 1), ...week]).isAdvised)
    assert.isTrue(adviceOf([...week, day(12, 4)]).isAdvised)
    // only the deny list refused something
    const refusals = { ...day(20, 0), codes: 0, verified: 0, denied: 4 }
    assert.strictEqual(adviceOf([refusals, ...week]).cleanDays, 7)
  })
})
