import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { parsePhone } from "../../../src/domain/Phone.ts"
import {
  type Admission,
  type AdmissionRequest,
  admitInOrder,
  type LimitState
} from "../../../src/domain/customer/Admission.ts"
import { monthOf } from "../../../src/domain/money/Quota.ts"

const NOW = Date.UTC(2026, 0, 31, 12)
const PHONE = Result.getOrThrow(parsePhone("09121234567"))
const OTHER = Result.getOrThrow(parsePhone("09121234568"))
const UNUSED: LimitState = { hour: null, day: null, platformDay: null, callers: null, usedThisMonth: 0 }
const FREE: Admission = { phone: { hour: 0, day: 0, platformDay: 0, callers: 0 }, monthlyQuota: 0, hold: 0 }

interface Asked extends Partial<Admission["phone"]> {
  readonly phone?: typeof PHONE
  readonly customerId?: number
  readonly monthlyQuota?: number
  readonly hold?: number
  readonly state?: Partial<LimitState>
}

const ask = ({ phone = PHONE, customerId = 1, monthlyQuota = 0, hold = 0, state = {}, ...limits }: Asked) => {
  const request: AdmissionRequest = {
    customerId,
    phone,
    now: NOW,
    admission: { phone: { ...FREE.phone, ...limits }, monthlyQuota, hold },
    state: { ...UNUSED, ...state }
  }
  return request
}

const tags = (asked: ReadonlyArray<Asked>, available = 0) =>
  admitInOrder(asked.map(ask), () => available).map((error) => error?._tag ?? "admitted")

const window = (used: number, endsIn = 60_000) => ({ used, endsAt: NOW + endsIn })

describe("requests that are admitted in order", () => {
  it("count against each phone's hour by themselves", () => {
    const state = { hour: window(1) }
    assert.deepStrictEqual(
      tags([
        { hour: 2, state },
        { hour: 2, state },
        { hour: 2, phone: OTHER }
      ]),
      ["admitted", "too_many_requests_phone_hour", "admitted"]
    )
  })

  it("count against each customer's hour by themselves, and against the platform's day together", () => {
    const asked = [1, 2, 3].map((customerId) => ({ customerId, hour: 1, platformDay: 2 }))
    assert.deepStrictEqual(tags(asked), ["admitted", "admitted", "too_many_requests_phone_day"])
  })

  it("count against the day if the hour has room", () => {
    assert.deepStrictEqual(tags([{ hour: 9, day: 2, state: { day: window(2) } }]), [
      "too_many_requests_phone_day"
    ])
  })

  it("begin a new window when the old one has ended", () => {
    const state = { hour: window(2, 0), day: window(2, 0), platformDay: window(2, 0) }
    assert.deepStrictEqual(tags([{ hour: 2, day: 2, platformDay: 2, state }]), ["admitted"])
  })

  it.each([
    [{ hour: 2, state: { hour: window(2) } }, 60],
    [{ day: 2, state: { day: window(2, 1) } }, 1],
    [{ platformDay: 2, state: { platformDay: window(9, 61_000) } }, 61]
  ])("say when the window of %j ends", (asked, seconds) => {
    assert.deepInclude(admitInOrder([ask(asked)], () => 0)[0], { retryAfterSeconds: seconds })
  })

  it("say when a window ends that they have filled themselves", () => {
    const [, refusal] = admitInOrder([ask({ hour: 1 }), ask({ hour: 1 })], () => 0)
    assert.deepInclude(refusal, { retryAfterSeconds: 3600 })
  })

  it("are refused to a phone that too many customers send to, until the first of them no longer counts", () => {
    const callers = { customers: [5, 6, 7, 8], endsAt: NOW + 5000 }
    const [refusal] = admitInOrder([ask({ callers: 5, state: { callers } })], () => 0)
    assert.deepInclude(refusal, { isBombed: true, retryAfterSeconds: 5 })
    assert.deepStrictEqual(tags([{ callers: 6, state: { callers } }]), ["admitted"])
    assert.deepStrictEqual(tags([{ callers: 5, customerId: 5, state: { callers } }]), ["admitted"])
    assert.deepStrictEqual(tags([{ callers: 5, state: { callers: { ...callers, endsAt: NOW } } }]), [
      "admitted"
    ])
  })

  it("take from the month's quota only if the phone does not refuse them", () => {
    const asked = [
      { hour: 2, state: { hour: window(2), usedThisMonth: 4 } },
      { phone: OTHER, state: { usedThisMonth: 4 } },
      { phone: OTHER, state: { usedThisMonth: 4 } }
    ].map((each) => ({ ...each, monthlyQuota: 5 }))
    assert.deepStrictEqual(tags(asked), ["too_many_requests_phone_hour", "admitted", "quota_exceeded"])
  })

  it("hold money one after the other, and a cheaper one still fits", () => {
    const asked = [2000, 1000, 500, 0].map((hold) => ({ hold }))
    assert.deepStrictEqual(tags(asked, 2500), ["admitted", "insufficient_balance", "admitted", "admitted"])
  })

  it("count nothing of those that the wallet refuses", () => {
    assert.deepStrictEqual(
      tags([
        { hour: 1, monthlyQuota: 1, hold: 5 },
        { hour: 1, monthlyQuota: 1 }
      ]),
      ["insufficient_balance", "admitted"]
    )
  })

  const small = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))
  it.prop(
    "never exceed a limit, and are as if each had come alone",
    [Arbitrary.array(Arbitrary.schema(Schema.Tuple([small, small, small, small])), { maxLength: 12 })],
    ([drawn]) => {
      const asked = drawn.map(([customerId, phone, hour, hold]) =>
        ask({
          customerId,
          phone: phone % 2 === 0 ? PHONE : OTHER,
          hour,
          platformDay: 4,
          monthlyQuota: 5,
          hold
        })
      )
      const together = admitInOrder(asked, () => 6).map((error) => error?._tag)
      const admitted: Array<AdmissionRequest> = []
      const oneByOne = asked.map((request) => {
        const refusal = admitInOrder([...admitted, request], () => 6).at(-1)
        if (refusal === undefined) admitted.push(request)
        return refusal?._tag
      })
      assert.deepStrictEqual(together, oneByOne)
      const count = (of: (request: AdmissionRequest) => boolean) => admitted.filter(of).length
      for (const { phone, customerId } of admitted) {
        const own = (each: AdmissionRequest) => each.customerId === customerId
        assert.isAtMost(
          count((each) => each.phone === phone),
          4
        )
        assert.isAtMost(count(own), 5)
        const held = admitted.filter(own).reduce((sum, each) => sum + each.admission.hold, 0)
        assert.isAtMost(held, 6)
      }
    }
  )
})

describe("the month in which a request is counted", () => {
  it.each([
    ["2026-01-31T23:59:59.999Z", "2026-01-01", "2026-02-01T00:00:00.000Z"],
    ["2026-02-01T00:00:00.000Z", "2026-02-01", "2026-03-01T00:00:00.000Z"],
    ["2026-01-01T00:00:00.000Z", "2026-01-01", "2026-02-01T00:00:00.000Z"],
    ["2026-12-15T12:00:00.000Z", "2026-12-01", "2027-01-01T00:00:00.000Z"],
    ["2024-02-29T12:00:00.000Z", "2024-02-01", "2024-03-01T00:00:00.000Z"]
  ])("of %s begins on %s, and the next at %s, whichever was asked for before", (now, start, end) => {
    const month = monthOf(Date.parse(now))
    assert.strictEqual(month.start, start)
    assert.strictEqual(month.end, Date.parse(end))
  })
})
