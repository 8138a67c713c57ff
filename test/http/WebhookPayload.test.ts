import { assert, describe, it } from "@effect/vitest"
import { Phone } from "../../src/domain/Phone.ts"
import type { MessageAttempt, ShownMessage } from "../../src/domain/message/Message.ts"
import type { Attempt, ShownVerification } from "../../src/domain/verification/Verification.ts"
import { webhookPayload } from "../../src/http/manage/WebhookPayload.ts"

const account = (channel: "bale" | "sms", id: number) => ({
  channel,
  account_id: id,
  descriptor: { type: "messenger" as const, provider: channel, credential_id: id, label: channel },
  wait: 60
})

const attempt: Attempt = {
  step: 0,
  status: "sent",
  error_code: null,
  provider_error: null,
  provider_message_id: "m-1",
  attempted_at: 1000
}

const verification: ShownVerification = {
  id: "0195f7a0-0000-7000-8000-000000000001",
  phone: Phone.make("+989123456789"),
  status: "queued",
  route: [account("bale", 1), account("sms", 2)],
  attempts: [attempt],
  nextStepAt: 61_000,
  expiresAt: 300_000,
  verifiedAt: null,
  metadata: null
}

const sending: MessageAttempt = {
  ...attempt,
  tries: 1,
  error_code: null,
  due_at: 0,
  finished_at: 2000
}

const message: ShownMessage = {
  id: "0195f7a0-0000-7000-8000-000000000002",
  phone: Phone.make("+989123456789"),
  status: "sent",
  strategy: "broadcast",
  route: [account("bale", 1), account("sms", 2)],
  template: null,
  metadata: '{"a": 1.50}',
  attempts: [],
  scheduledFor: null,
  createdAt: 0,
  completedAt: 2000
}

const verificationAt = (occurredAt: number, changes: Partial<ShownVerification> = {}) =>
  JSON.parse(
    webhookPayload({
      type: "verification.attempt_sent",
      mode: "live",
      occurredAt,
      sequence: 2,
      subject: { kind: "verification", verification: { ...verification, ...changes } }
    })
  )

const messageWith = (changes: Partial<ShownMessage>) =>
  webhookPayload({
    type: "message.sent",
    mode: "live",
    occurredAt: 2000,
    sequence: 3,
    subject: { kind: "message", message: { ...message, ...changes } }
  })

describe("the payload of an event", () => {
  it("has a verification's status fields as they were then, its sequence, and what became of its attempts", () => {
    assert.deepStrictEqual(verificationAt(1500), {
      type: "verification.attempt_sent",
      mode: "live",
      timestamp: "1970-01-01T00:00:01.500Z",
      data: {
        verification_id: verification.id,
        status: "queued",
        phone: "+989123456789",
        current_channel: verification.route[0].descriptor,
        expires_at: "1970-01-01T00:05:00.000Z",
        verified_at: null,
        current_channel_status: "sent",
        remaining_seconds: 60,
        attempts: [
          {
            sequence: 1,
            channel: verification.route[0].descriptor,
            status: "sent",
            dispatched_at: "1970-01-01T00:00:01.000Z",
            transition_reason: null,
            error_code: null,
            provider_error: null,
            delivery: null
          }
        ],
        sequence: 2
      }
    })
  })

  it("shows what a provider reported, and why an attempt failed, of the right attempt", () => {
    const failed: Attempt = {
      ...attempt,
      step: 1,
      status: "failed",
      error_code: "provider_rejected",
      provider_error: "40 BadText"
    }
    const delivery = { status: "delivered", at: 1200, provider_error: null } as const
    const { data } = verificationAt(1500, { attempts: [failed, { ...attempt, delivery }] })
    const attempts = data.attempts.map((each: Record<string, unknown>) => [
      each["sequence"],
      each["error_code"],
      each["provider_error"],
      each["delivery"]
    ])
    assert.deepStrictEqual(attempts, [
      [2, "provider_rejected", "40 BadText", null],
      [1, null, null, "delivered"]
    ])
  })

  it("has a message's attempts in the order of its status, each with its own report", () => {
    const delivery = { status: "undelivered", at: null, provider_error: "7" } as const
    const { data } = JSON.parse(messageWith({ attempts: [{ ...sending, step: 1, delivery }, sending] }))
    assert.deepStrictEqual(
      data.attempts.map((each: Record<string, unknown>) => [each["sequence"], each["delivery"]]),
      [
        [1, null],
        [2, "undelivered"]
      ]
    )
    assert.deepStrictEqual([data.successful_attempts, data.sequence], [2, 3])
  })

  it("has a message's metadata to the letter", () => {
    assert.include(messageWith({}), '"metadata":{"a": 1.50}}')
  })
})
