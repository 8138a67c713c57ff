import { TEST_EVENT } from "../../domain/Webhook.ts"
import { AlertEventType, AlertSubject, customerAlertKinds } from "../../domain/alert/Alert.ts"
import { GuardEventType } from "../../domain/guard/Alarm.ts"
import { MessageEventType } from "../../domain/message/Message.ts"
import { EventType } from "../../domain/verification/Verification.ts"
import { componentReference, type Json, withComponents } from "./Operations.ts"

const HEADERS: ReadonlyArray<Json> = [
  ["webhook-id", "The event's id; the same for each try and each replay."],
  ["webhook-timestamp", "The time of this try, in Unix seconds."],
  ["webhook-signature", "`v1,` and a signature (Standard Webhooks 1.0); two while a secret is replaced."]
].map(([name, description]) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" }
}))

const sequence: Json = {
  type: "object",
  properties: {
    sequence: {
      type: "integer",
      minimum: 1,
      description: "1, 2, 3 … for this verification, message or alarm."
    }
  },
  required: ["sequence"]
}

const eventSchema = (types: ReadonlyArray<string>, data: Json): Json => ({
  type: "object",
  properties: {
    type: { type: "string", enum: types },
    mode: { type: "string", enum: ["live", "test"], description: "`test`: an event of the sandbox." },
    timestamp: { type: "string", format: "date-time", description: "The time of the event." },
    data
  },
  required: ["type", "mode", "timestamp", "data"]
})

const withSequence = (resource: string): Json => ({
  allOf: [componentReference("schemas", resource), sequence]
})

/** A sent code or message: its status, with the field that only the attempts of an event have. */
const withAttempts = (resource: string, field: string, schema: Json): Json => ({
  allOf: [
    componentReference("schemas", resource),
    sequence,
    {
      type: "object",
      properties: {
        attempts: {
          type: "array",
          items: { type: "object", properties: { [field]: schema }, required: [field] }
        }
      },
      required: ["attempts"]
    }
  ]
})

const providerError: Json = {
  type: ["string", "null"],
  description: "The provider's own code and text; null if it was sent."
}

const delivery: Json = {
  anyOf: [{ type: "string", enum: ["delivered", "undelivered"] }, { type: "null" }],
  description: "The provider's delivery report; null without one."
}

const schemas: Json = {
  VerificationEvent: eventSchema(
    EventType.literals,
    withAttempts("OtpStatusResponse", "provider_error", providerError)
  ),
  MessageEvent: eventSchema(
    MessageEventType.literals,
    withAttempts("MessageStatusResponse", "delivery", delivery)
  ),
  GuardEvent: eventSchema(GuardEventType.literals, withSequence("GuardAlarm")),
  AlertEvent: eventSchema(AlertEventType.literals, {
    allOf: [
      sequence,
      {
        type: "object",
        properties: {
          alert_id: { type: "string", format: "uuid" },
          kind: { type: "string", enum: customerAlertKinds, description: "The type without `alert.`." },
          subject: {
            type: "object",
            properties: {
              type: { type: "string", enum: AlertSubject.fields.type.literals },
              id: { type: "string" },
              name: { type: ["string", "null"] }
            },
            required: ["type", "id", "name"]
          },
          counts: { type: "object", additionalProperties: { type: "number" } },
          held_back: { type: "integer", description: "How often it happened since the alert before." },
          raised_at: { type: "string", format: "date-time" }
        },
        required: ["alert_id", "kind", "subject", "counts", "held_back", "raised_at"]
      }
    ]
  }),
  TestEvent: eventSchema([TEST_EVENT], {
    type: "object",
    properties: { webhook_id: { type: "integer" }, sequence: { type: "integer" } },
    required: ["webhook_id", "sequence"]
  })
}

const received = (operationId: string, summary: string, description: string, schema: string): Json => ({
  post: {
    operationId,
    tags: ["Events"],
    summary,
    description,
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { "application/json": { schema: componentReference("schemas", schema) } }
    },
    responses: {
      "2XX": { description: "Accepted. Respond within 15 seconds; the body is ignored." },
      "4XX": { description: "Not accepted. The event comes again, and after 410 no more." }
    }
  }
})

const webhooks: Json = {
  verification: received(
    "receiveVerificationEvent",
    "A verification changed",
    "`data` is the verification at the time of the event. It never contains the code.",
    "VerificationEvent"
  ),
  message: received(
    "receiveMessageEvent",
    "A message changed",
    "`data` is the message at the time of the event. It never contains the text.",
    "MessageEvent"
  ),
  guard: received(
    "receiveGuardEvent",
    "An alarm of the guard was raised or cleared",
    "`data` is the alarm at the time of the event. It never contains a phone or an address.",
    "GuardEvent"
  ),
  alert: received(
    "receiveAlertEvent",
    "People were alerted of something",
    "Only for endpoints that name `alert.*` or its type. `data` has names, ids and counts; never a code or a phone.",
    "AlertEvent"
  ),
  test: received(
    "receiveTestEvent",
    "You asked for a test event",
    "Sent by `POST /v1/manage/webhooks/{id}/test`.",
    "TestEvent"
  )
}

/** The requests that Peyk posts to the endpoints of a customer. */
export const describeWebhooks = (document: Json): Json => ({
  ...withComponents(document, "schemas", schemas),
  webhooks
})
