import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { ERASED_PHONE, Phone } from "../../../src/domain/Phone.ts"
import type { Message } from "../../../src/domain/message/Message.ts"
import {
  beginAttempt,
  recordDelivery as recordForMessage,
  recordOutcome
} from "../../../src/domain/message/MessageMachine.ts"
import {
  attemptToReport,
  type Delivery,
  DeliveryReport,
  nextReportAt,
  ProviderOutcome,
  reportRequest,
  type ReportSubject,
  settledDelivery,
  withDelivery
} from "../../../src/domain/ProviderOutcome.ts"
import {
  recordAttempt,
  recordDelivery as recordForVerification
} from "../../../src/domain/verification/Step.ts"
import { type Verification, nextDueAt } from "../../../src/domain/verification/Verification.ts"
import { created as createdMessage } from "../message/MessageExamples.ts"
import { created, outcomes, routeOf, START } from "../verification/VerificationRuns.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const ASKED_AFTER = [10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR, 24 * HOUR]

const delivered: Delivery = { status: "delivered", at: START + 7, provider_error: null }
const undelivered: Delivery = { status: "undelivered", at: null, provider_error: "6 expired" }

const instantOfADay = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 26 * HOUR })))

describe("a provider", () => {
  it("is asked 10 s, 1 min, 5 min, 30 min, 2 h, 12 h and a day after the attempt, and then no more", () => {
    const asked: Array<number> = []
    for (let at = nextReportAt(START, START); at !== null; at = nextReportAt(START, at)) {
      asked.push(at - START)
    }
    assert.deepStrictEqual(asked, ASKED_AFTER)
  })

  it.prop(
    "asked late is asked next at the first of the planned times that is still to come",
    [instantOfADay],
    ([after]) => {
      const expected = ASKED_AFTER.find((delay) => delay > after)
      assert.strictEqual(nextReportAt(START, START + after), expected === undefined ? null : START + expected)
    }
  )
})

describe("a report", () => {
  const phone = Phone.make("+989121234567")
  const code = { phone }
  const wordsOf = (providerError: string, subject: ReportSubject) =>
    settledDelivery(DeliveryReport.Undelivered({ providerError }), subject)?.provider_error

  it("that it was delivered settles the attempt, with the time where the provider says one", () => {
    assert.deepStrictEqual(settledDelivery(DeliveryReport.Delivered({ at: START + 7 }), code), delivered)
    assert.deepStrictEqual(settledDelivery(DeliveryReport.Delivered({ at: null }), code), {
      ...delivered,
      at: null
    })
  })

  it.each([
    1_795_690_000_000_000_000,
    253_402_300_800_000,
    1_795_690_000_000.5,
    -62_135_596_800_000,
    Number.NaN,
    Number.POSITIVE_INFINITY
  ])("has no time if the provider's is impossible: %s", (at) => {
    assert.deepStrictEqual(settledDelivery(DeliveryReport.Delivered({ at }), code), {
      ...delivered,
      at: null
    })
  })

  it("that it never will be settles the attempt, with the provider's words as a store can keep them", () => {
    assert.deepStrictEqual(
      settledDelivery(DeliveryReport.Undelivered({ providerError: "6\u0000 expired" }), code),
      undelivered
    )
    const long = settledDelivery(DeliveryReport.Undelivered({ providerError: "x".repeat(3_000) }), code)
    assert.strictEqual(long?.provider_error?.length, 500)
  })

  it.each([
    ["14 کد 047113 به 09121234567 نرسید", "14 کد ••• به ••• نرسید"],
    ["code ۰۴۷ ۱۱۳, 047-113", "code •••, •••"],
    ["35 blacklisted, 100", "35 blacklisted, 100"]
  ])("about a code keeps no number that could be the code or the phone: %s", (words, expected) => {
    assert.strictEqual(wordsOf(words, code), expected)
  })

  it("about a message keeps neither the message nor the phone", () => {
    const words = "14 سلام علی not sent to 09121234567, id 8792343"
    const expected = "14 ••• not sent to +98912•••4567, id 8792343"
    assert.strictEqual(wordsOf(words, { phone, text: "سلام علی" }), expected)
  })

  it("keeps no words once the phone is erased", () => {
    assert.isNull(wordsOf("not sent to 09121234567", { phone: ERASED_PHONE, text: "" }))
  })

  it("that says nothing yet settles nothing", () => {
    assert.isUndefined(settledDelivery(DeliveryReport.InProgress(), code))
    assert.isUndefined(settledDelivery(DeliveryReport.NotKnown({ reason: "down" }), code))
  })
})

describe("the attempts of which one was reported", () => {
  interface Reported {
    readonly step: number
    readonly provider_message_id: string | null
    readonly delivery?: Delivery
  }
  const attempt = (step: number, id: string | null = `m-${step}`): Reported => ({
    step,
    provider_message_id: id
  })

  it("are the same but for that one", () => {
    const attempts = [attempt(1), attempt(0), attempt(2)]
    assert.deepStrictEqual(withDelivery(attempts, 0, delivered), [
      attempt(1),
      { ...attempt(0), delivery: delivered },
      attempt(2)
    ])
  })

  it("are the very same when that one is settled already, whatever is reported", () => {
    const attempts = [{ ...attempt(0), delivery: delivered }, attempt(1)]
    assert.strictEqual(withDelivery(attempts, 0, undelivered), attempts)
    assert.isUndefined(attemptToReport(attempts, 0))
  })

  it("are the very same where there is no such attempt, or it has no id to ask for", () => {
    const attempts = [attempt(0, null), attempt(1)]
    assert.strictEqual(withDelivery(attempts, 0, delivered), attempts)
    assert.strictEqual(withDelivery(attempts, 5, delivered), attempts)
    assert.strictEqual(attemptToReport(attempts, 1), attempts[1])
  })
})

describe("a provider is asked about an attempt", () => {
  const reporting = [{}, { reportsDelivery: true }] as const

  it("first 10 s after it, if it has reports and gave an id", () => {
    assert.deepStrictEqual(reportRequest(reporting, { step: 1, provider_message_id: "m" }, START), {
      report: { step: 1, at: START + 10 * SECOND }
    })
  })

  it("not at all if it has no reports, gave no id, or is not of the route", () => {
    assert.deepStrictEqual(reportRequest(reporting, { step: 0, provider_message_id: "m" }, START), {})
    assert.deepStrictEqual(reportRequest(reporting, { step: 1, provider_message_id: null }, START), {})
    assert.deepStrictEqual(reportRequest(reporting, { step: 2, provider_message_id: "m" }, START), {})
  })
})

const reportingVerification = (waits: ReadonlyArray<number>): Verification => {
  const [first, ...rest] = routeOf(waits)
  return created([{ ...first, reportsDelivery: true }, ...rest])
}

const attempted = (outcome: ProviderOutcome, verification = reportingVerification([60, 60])) =>
  recordAttempt(verification, { step: 0, outcome, attemptedAt: START, finishedAt: START + 400 })

describe("a verification's attempt", () => {
  it("that was accepted has its provider asked 10 s after it answered", () => {
    assert.deepStrictEqual(attempted(outcomes.Accepted).report, { step: 0, at: START + 10_400 })
  })

  it("that was accepted without an id, or was not accepted, has nobody asked", () => {
    for (const outcome of [
      ProviderOutcome.Accepted({ messageId: null }),
      outcomes.Rejected,
      outcomes.Throttled,
      outcomes.Unavailable,
      outcomes.Unknown
    ]) {
      assert.isUndefined(attempted(outcome).report)
    }
    assert.isUndefined(attempted(outcomes.Accepted, created(routeOf([60, 60]))).report)
  })

  it("recorded after the end still has its provider asked", () => {
    const verified: Verification = { ...reportingVerification([60]), status: "verified", nextStepAt: null }
    assert.deepStrictEqual(attempted(outcomes.Accepted, verified).report, { step: 0, at: START + 10_400 })
  })

  const sent = attempted(outcomes.Accepted).next

  it.each([delivered, undelivered])("is $status once, and nothing else changes", (delivery) => {
    const { next, events, dueAt } = recordForVerification(sent, 0, delivery)
    assert.deepStrictEqual(next, {
      ...sent,
      revision: sent.revision + 1,
      attempts: sent.attempts.map((attempt) => ({ ...attempt, delivery }))
    })
    assert.deepStrictEqual(events, [`verification.attempt_${delivery.status}`])
    assert.strictEqual(dueAt, "held")
    assert.strictEqual(nextDueAt(next), nextDueAt(sent))
    for (const again of [delivered, undelivered]) {
      const second = recordForVerification(next, 0, again)
      assert.strictEqual(second.next, next)
      assert.deepStrictEqual(second.events, [])
    }
  })

  it.each(["verified", "locked", "failed", "expired"] as const)(
    "is reported also when the verification is %s, which it stays",
    (status) => {
      const over: Verification = { ...sent, status, nextStepAt: null }
      const { next, events, dueAt } = recordForVerification(over, 0, delivered)
      assert.deepStrictEqual([next.status, next.nextStepAt, dueAt], [status, null, "held"])
      assert.deepStrictEqual(events, ["verification.attempt_delivered"])
      assert.deepStrictEqual(next.attempts[0]?.delivery, delivered)
    }
  )

  it("of another step is not taken for it", () => {
    assert.strictEqual(recordForVerification(sent, 1, delivered).next, sent)
  })
})

const reportingMessage = (strategy: Message["strategy"]): Message => {
  const message = createdMessage({ strategy, steps: 2, scheduledInMillis: null })
  const [first, ...rest] = message.route
  return { ...message, route: [{ ...first, reportsDelivery: true }, ...rest] }
}

const sentOver = (message: Message, step: number, outcome: ProviderOutcome) => {
  const lane = message.strategy === "failover" ? 0 : step
  const begun = beginAttempt(message, step, { lane, dueAt: START, now: START, patienceMillis: 900_000 }).next
  return recordOutcome(begun, { step, tries: 1 }, outcome, START + 400)
}

describe("a message's attempt", () => {
  it("that was accepted by a provider with reports has it asked 10 s after it answered", () => {
    assert.deepStrictEqual(sentOver(reportingMessage("failover"), 0, outcomes.Accepted).report, {
      step: 0,
      at: START + 10_400
    })
  })

  it("has nobody asked when its route has no reports, or it was not accepted", () => {
    assert.isUndefined(sentOver(reportingMessage("broadcast"), 1, outcomes.Accepted).report)
    assert.isUndefined(sentOver(reportingMessage("failover"), 0, outcomes.Rejected).report)
    assert.isUndefined(sentOver(reportingMessage("failover"), 0, outcomes.Unavailable).report)
  })

  it.each([delivered, undelivered])(
    "is $status once, and neither its status nor the message's changes",
    (delivery) => {
      const { next: sent } = sentOver(reportingMessage("failover"), 0, outcomes.Accepted)
      const { next, events, dueAt } = recordForMessage(sent, 0, delivery)
      assert.deepStrictEqual(next, {
        ...sent,
        revision: sent.revision + 1,
        attempts: sent.attempts.map((attempt) => ({ ...attempt, delivery }))
      })
      assert.deepStrictEqual([next.status, next.attempts[0]?.status], ["sent", "sent"])
      assert.deepStrictEqual(events, [`message.attempt_${delivery.status}`])
      assert.strictEqual(dueAt, "held")
      assert.strictEqual(recordForMessage(next, 0, undelivered).next, next)
      assert.deepStrictEqual(recordForMessage(next, 0, delivered).events, [])
    }
  )

  it("of a broadcast is reported while other routes are still under way", () => {
    const { next: sent } = sentOver(reportingMessage("broadcast"), 0, outcomes.Accepted)
    const { next } = recordForMessage(sent, 0, delivered)
    assert.strictEqual(next.status, "sending")
    assert.deepStrictEqual(next.attempts[0]?.delivery, delivered)
    const done = sentOver(next, 1, outcomes.Accepted).next
    assert.strictEqual(done.status, "sent")
    assert.deepStrictEqual(done.attempts[0]?.delivery, delivered)
  })
})
