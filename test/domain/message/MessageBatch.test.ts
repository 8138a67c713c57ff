import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  admitInOrder,
  type Asking,
  refusedOutcome,
  type Standing
} from "../../../src/domain/message/MessageBatch.ts"
import { parsePhone } from "../../../src/domain/Phone.ts"

const NOW = Date.UTC(2026, 0, 31, 12)
const PHONE = Result.getOrThrow(parsePhone("09121234567"))
const OTHER = Result.getOrThrow(parsePhone("09121234568"))
const UNUSED: Standing = { phones: new Map(), usedThisMonth: 0, available: 0 }

const ask = (phone: typeof PHONE, { hour = 0, day = 0, monthlyQuota = 0, hold = 0 } = {}): Asking => ({
  phone,
  admission: { phone: { hour, day, platformDay: 0, callers: 0 }, monthlyQuota, hold }
})

const tags = (standing: Standing, asking: ReadonlyArray<Asking>) =>
  admitInOrder(standing, asking, NOW).map((error) => error?._tag ?? "admitted")

const used = (hour: number, day: number, endsIn = 60_000): Standing => ({
  ...UNUSED,
  phones: new Map([
    [PHONE, { hour: { used: hour, endsAt: NOW + endsIn }, day: { used: day, endsAt: NOW + endsIn } }]
  ])
})

describe("messages that are admitted in order", () => {
  it("count against each phone's hour by themselves", () => {
    assert.deepStrictEqual(
      tags(used(1, 1), [ask(PHONE, { hour: 2 }), ask(PHONE, { hour: 2 }), ask(OTHER, { hour: 2 })]),
      ["admitted", "too_many_requests_phone_hour", "admitted"]
    )
  })

  it("count against the day if the hour has room", () => {
    assert.deepStrictEqual(tags(used(0, 2), [ask(PHONE, { hour: 9, day: 2 })]), [
      "too_many_requests_phone_day"
    ])
  })

  it("begin a new window when the old one has ended", () => {
    assert.deepStrictEqual(tags(used(2, 2, 0), [ask(PHONE, { hour: 2, day: 2 })]), ["admitted"])
  })

  it("say when the phone's window ends", () => {
    const [refusal] = admitInOrder(used(2, 2), [ask(PHONE, { hour: 2 })], NOW)
    assert.deepInclude(refusal, { retryAfterSeconds: 60 })
  })

  it("take from the month's quota only if nothing else refuses them", () => {
    const full = { ...used(2, 2), usedThisMonth: 4 }
    const asked = [
      ask(PHONE, { hour: 2, monthlyQuota: 5 }),
      ask(OTHER, { hour: 2, monthlyQuota: 5 }),
      ask(OTHER, { hour: 2, monthlyQuota: 5 })
    ]
    assert.deepStrictEqual(tags(full, asked), ["too_many_requests_phone_hour", "admitted", "quota_exceeded"])
  })

  it("hold money one after the other, and a cheaper one still fits", () => {
    const rich = { ...UNUSED, available: 2500 }
    const asked = [2000, 1000, 500, 0].map((hold) => ask(OTHER, { hold }))
    assert.deepStrictEqual(tags(rich, asked), ["admitted", "insufficient_balance", "admitted", "admitted"])
  })
})

describe("a refused message of a batch", () => {
  it("keeps its code, its details, and when to come again", () => {
    assert.deepStrictEqual(
      refusedOutcome({ _tag: "quota_exceeded", retryAfterSeconds: 9, details: { a: 1 } }),
      {
        code: "quota_exceeded",
        details: { a: 1, retry_after_seconds: 9 }
      }
    )
  })
})
