import { assert, describe, it } from "@effect/vitest"
import { ERASED_PHONE, Phone } from "../../../src/domain/Phone.ts"
import { toSubject } from "../../../src/layers/webhook/WebhookEventSql.ts"

const attempt = {
  step: 0,
  status: "sent",
  tries: 1,
  error_code: null,
  provider_error: "refused 09121234567",
  provider_message_id: "77",
  due_at: 0,
  attempted_at: 1,
  finished_at: 2,
  delivery: { status: "undelivered", at: null, provider_error: "09121234567 is off" }
} as const

const messageOf = (phone: Phone) =>
  toSubject({
    kind: "message",
    snapshot: { status: "sent", attempts: [attempt], completed_at: 2 },
    always: {
      id: "01990000-0000-7000-8000-000000000001",
      phone,
      strategy: "failover",
      route: [
        {
          channel: "bale",
          account_id: 1,
          descriptor: { type: "messenger", provider: "bale", credential_id: 1, label: "bale" }
        }
      ],
      template: null,
      metadata: "{}",
      scheduledFor: null,
      createdAt: 0
    }
  })

describe("an event", () => {
  it("repeats what the providers said", () => {
    assert.include(JSON.stringify(messageOf(Phone.make("+989121234567"))), "refused 09121234567")
  })

  it("of a record whose phone is erased does not repeat what the providers said", () => {
    const shown = JSON.stringify(messageOf(ERASED_PHONE))
    assert.notInclude(shown, "09121234567")
    assert.include(shown, '"status":"undelivered"')
  })
})
